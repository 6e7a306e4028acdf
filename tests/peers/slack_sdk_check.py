"""Judges messages and forms of Slack with the official Python SDK.

Reads one JSON document per line, {"message": {...}} or {"view": {...}}, and answers each with one line: "ok", or why the SDK
refuses it. The SDK's own validation does not go into what a block holds; this does."""

import json
import sys

from slack_sdk.models.basic_objects import JsonObject
from slack_sdk.models.blocks import Block
from slack_sdk.models.views import View


def validate(node, seen):
    if id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, (list, tuple)):
        for item in node:
            validate(item, seen)
    elif isinstance(node, JsonObject):
        node.validate_json()
        for value in list(vars(node).values()):
            validate(value, seen)


def judge_blocks(blocks):
    for index, raw in enumerate(blocks):
        block = Block.parse(raw)
        if block is None:
            raise ValueError(f"block {index} has the unknown type {raw.get('type')!r}")
        validate(block, set())


def judge(document):
    if "message" in document:
        judge_blocks(document["message"].get("blocks", []))
        return
    view = document["view"]
    judge_blocks(view["blocks"])
    validate(View(**view), set())


for line in sys.stdin:
    try:
        judge(json.loads(line))
        verdict = "ok"
    except Exception as error:  # the SDK raises its own and built-in types
        verdict = f"{type(error).__name__}: {error}".replace("\n", " ")
    print(verdict, flush=True)
