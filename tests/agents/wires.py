"""The wire formats: Anthropic Messages, OpenAI Responses and Chat Completions, Gemini generateContent."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
#: Tools by which a client accepts a structured answer: Claude Code's and pydantic-ai's.
ANSWER_TOOLS = ("StructuredOutput", "final_result")
IN_TOKENS, OUT_TOKENS = 1000, 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """One provider's format: count of model turns, streaming or not, an answer as a whole and as events."""

    spoken: Callable[[Json], int]
    streams: Callable[[str, Json], bool]
    whole: Callable[[Json, Json], Json]
    events: Callable[[Json, Json], str]


def of(path: str) -> Wire | None:
    """The wire of this path; None for a path without a model, like counting tokens."""
    bare = path.split("?", maxsplit=1)[0]
    if bare.endswith("/messages"):
        return ANTHROPIC
    if bare.endswith("/responses"):
        return RESPONSES
    if bare.endswith("/chat/completions"):
        return CHAT
    if bare.endswith(("enerateContent",)):
        return GEMINI
    return None


def _asked_to_stream(_: str, body: Json) -> bool:
    return bool(body.get("stream"))


def _plain(turn: Json, tools: list[str]) -> Json:
    """A turn as a tool call or as text."""
    if "answer" in turn:
        tool = next((name for name in ANSWER_TOOLS if name in tools), "")
        return {"call": {"name": tool, "input": turn["answer"]}} if tool else {"text": json.dumps(turn["answer"])}
    if turn.get("refuse"):
        return {"text": "", "refuse": True}
    return turn


def _event(data: Json, name: str = "") -> str:
    return (f"event: {name}\n" if name else "") + f"data: {json.dumps(data)}\n\n"


def _anthropic_spoken(body: Json) -> int:
    return sum(message.get("role") == "assistant" for message in body.get("messages", []))


def _anthropic_whole(body: Json, turn: Json) -> Json:
    said = _plain(turn, [tool.get("name", "") for tool in body.get("tools", [])])
    block: Json = {"type": "text", "text": said.get("text", "")}
    stop = "refusal" if said.get("refuse") else "end_turn"
    if "call" in said:
        block = {"type": "tool_use", "id": f"toolu_{uuid.uuid4().hex[:20]}", **said["call"]}
        stop = "tool_use"
    return {
        "id": f"msg_{uuid.uuid4().hex[:20]}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", ""),
        "content": [block],
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": IN_TOKENS, "output_tokens": OUT_TOKENS},
    }


def _anthropic_events(body: Json, turn: Json) -> str:
    whole = _anthropic_whole(body, turn)
    block = whole["content"][0]
    if block["type"] == "tool_use":
        start = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    else:
        start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
    events: list[Json] = [
        {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": whole["stop_reason"], "stop_sequence": None},
            "usage": {"output_tokens": OUT_TOKENS},
        },
        {"type": "message_stop"},
    ]
    return "".join(_event(event, event["type"]) for event in events)


def _responses_spoken(body: Json) -> int:
    given = body.get("input")
    items = given if isinstance(given, list) else []
    return sum(item.get("type") == "function_call" or item.get("role") == "assistant" for item in items)


def _responses_whole(body: Json, turn: Json) -> Json:
    said = _plain(turn, [tool.get("name", "") for tool in body.get("tools", [])])
    content: Json = {"type": "output_text", "text": said.get("text", ""), "annotations": []}
    if said.get("refuse"):
        content = {"type": "refusal", "refusal": "I will not look at this."}
    item: Json = {
        "type": "message",
        "id": f"msg_{uuid.uuid4().hex[:20]}",
        "role": "assistant",
        "status": "completed",
        "content": [content],
    }
    if "call" in said:
        item = {
            "type": "function_call",
            "id": f"fc_{uuid.uuid4().hex[:20]}",
            "call_id": f"call_{uuid.uuid4().hex[:20]}",
            "name": said["call"]["name"],
            "arguments": json.dumps(said["call"]["input"]),
            "status": "completed",
        }
        if "namespace" in said["call"]:
            item["namespace"] = said["call"]["namespace"]
    return {
        "id": f"resp_{uuid.uuid4().hex[:20]}",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": body.get("model", ""),
        "output": [item],
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": IN_TOKENS,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": OUT_TOKENS,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": IN_TOKENS + OUT_TOKENS,
        },
    }


def _responses_events(body: Json, turn: Json) -> str:
    whole = _responses_whole(body, turn)
    item = whole["output"][0]
    events: list[Json] = [
        {"type": "response.created", "response": {**whole, "output": [], "status": "in_progress", "usage": None}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
    ]
    return "".join(_event({**event, "sequence_number": at}, event["type"]) for at, event in enumerate(events))


def _chat_whole(body: Json, turn: Json) -> Json:
    said = _plain(turn, [tool["function"]["name"] for tool in body.get("tools", [])])
    message: Json = {"role": "assistant", "content": said.get("text", "")}
    if said.get("refuse"):
        message = {"role": "assistant", "content": None, "refusal": "I will not look at this."}
    if "call" in said:
        function = {"name": said["call"]["name"], "arguments": json.dumps(said["call"]["input"])}
        calls = [{"id": f"call_{uuid.uuid4().hex[:20]}", "type": "function", "function": function}]
        message = {"role": "assistant", "content": None, "tool_calls": calls}
    stop = "tool_calls" if "call" in said else "content_filter" if said.get("refuse") else "stop"
    return {
        "id": f"chatcmpl-{uuid.uuid4().hex[:20]}",
        "object": "chat.completion",
        "created": 1,
        "model": body.get("model", ""),
        "choices": [{"index": 0, "message": message, "finish_reason": stop}],
        "usage": {
            "prompt_tokens": IN_TOKENS,
            "completion_tokens": OUT_TOKENS,
            "total_tokens": IN_TOKENS + OUT_TOKENS,
        },
    }


def _chat_events(body: Json, turn: Json) -> str:
    whole = _chat_whole(body, turn)
    choice = whole["choices"][0]
    calls = [{"index": at, **call} for at, call in enumerate(choice["message"].get("tool_calls") or ())]
    delta = {**choice["message"], **({"tool_calls": calls} if calls else {})}
    head = {**whole, "object": "chat.completion.chunk", "usage": None}
    first = {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    last = {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}
    cost = {**head, "choices": [], "usage": whole["usage"]}
    return "".join(map(_event, (first, last, cost))) + "data: [DONE]\n\n"


def _gemini_spoken(body: Json) -> int:
    return sum(content.get("role") == "model" for content in body.get("contents", []))


def _gemini_streams(path: str, _: Json) -> bool:
    return "streamGenerateContent" in path


def _gemini_whole(body: Json, turn: Json) -> Json:
    names = [
        one["name"]
        for tool in body.get("tools") or ()
        for one in tool.get("functionDeclarations") or ()
        if "name" in one
    ]
    said = _plain(turn, names)
    part: Json = {"text": said.get("text", "")}
    if "call" in said:
        part = {"functionCall": {"name": said["call"]["name"], "args": said["call"]["input"]}}
    content = {"role": "model", "parts": [] if said.get("refuse") else [part]}
    stop = "SAFETY" if said.get("refuse") else "STOP"
    return {
        "candidates": [{"content": content, "finishReason": stop, "index": 0}],
        "usageMetadata": {
            "promptTokenCount": IN_TOKENS,
            "candidatesTokenCount": OUT_TOKENS,
            "totalTokenCount": IN_TOKENS + OUT_TOKENS,
        },
        "modelVersion": "scripted",
        "responseId": uuid.uuid4().hex[:20],
    }


def _gemini_events(body: Json, turn: Json) -> str:
    return _event(_gemini_whole(body, turn))


ANTHROPIC = Wire(spoken=_anthropic_spoken, streams=_asked_to_stream, whole=_anthropic_whole, events=_anthropic_events)
RESPONSES = Wire(spoken=_responses_spoken, streams=_asked_to_stream, whole=_responses_whole, events=_responses_events)
CHAT = Wire(spoken=_anthropic_spoken, streams=_asked_to_stream, whole=_chat_whole, events=_chat_events)
GEMINI = Wire(spoken=_gemini_spoken, streams=_gemini_streams, whole=_gemini_whole, events=_gemini_events)
