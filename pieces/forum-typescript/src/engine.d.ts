// What the componentizer's engine has beyond the language, as far as this piece uses it.

declare class TextDecoder {
  decode(bytes: Uint8Array): string;
}

declare class TextEncoder {
  encode(text: string): Uint8Array;
}
