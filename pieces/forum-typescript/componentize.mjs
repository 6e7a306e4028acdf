// The JavaScript in build/ as a component. All of the engine's own capabilities are off: the piece then imports what its world
// has and nothing else.

import { writeFile } from "node:fs/promises";
import { componentize } from "@bytecodealliance/componentize-js";

const { component } = await componentize({
  sourcePath: "build/forum.js",
  witPath: "wit",
  worldName: "channel-questions-piece",
  disableFeatures: ["stdio", "random", "clocks", "http", "fetch-event"],
});
await writeFile("build/component.wasm", component);
