"""One request to a model: through pydantic-ai, without tools, and without telemetry of the content."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from foureyes.app.reviewers import Task
from foureyes.reviewers.answers import ANSWER_SCHEMA, small_schema
from foureyes.reviewers.models.endpoints import ANTHROPIC, ENDPOINT, GOOGLE, OPENAI, Endpoint
from foureyes.reviewers.prompts import Prompt

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse, UserContent
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.settings import ModelSettings

_MICRO = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A model's reply: the text, how it ended and what it took; the price is None if it is unknown."""

    text: str
    ended: str
    tokens: int
    usd_micro: int | None
    model: str
    history: tuple[ModelMessage, ...]


def build_model(endpoint: Endpoint) -> Model:
    """Return the model behind an endpoint; key and address are passed in, so it reads no variable itself."""
    # Imported here: the library takes a second to load, and a review without models must not pay for it.
    if endpoint.provider is ANTHROPIC:
        from pydantic_ai.models.anthropic import AnthropicModel  # noqa: PLC0415 - see above
        from pydantic_ai.providers.anthropic import AnthropicProvider  # noqa: PLC0415

        where = endpoint.url or f"https://{endpoint.provider.host}"
        return AnthropicModel(endpoint.name, provider=AnthropicProvider(api_key=endpoint.key, base_url=where))
    if endpoint.provider is GOOGLE:
        from pydantic_ai.models.google import GoogleModel  # noqa: PLC0415
        from pydantic_ai.providers.google import GoogleProvider  # noqa: PLC0415

        return GoogleModel(endpoint.name, provider=GoogleProvider(api_key=endpoint.key, base_url=endpoint.url or None))
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel  # noqa: PLC0415

    if endpoint.provider is OPENAI:
        from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415

        where = endpoint.url or f"https://{endpoint.provider.host}/v1"
        return OpenAIResponsesModel(endpoint.name, provider=OpenAIProvider(api_key=endpoint.key, base_url=where))
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider  # noqa: PLC0415

    own = OpenAICompatibleProvider(ENDPOINT, base_url=endpoint.url, api_key=endpoint.key or "none")
    return OpenAIChatModel(endpoint.name, provider=own)


Build = Callable[[Endpoint], "Model"]


def first_messages(endpoint: Endpoint, prompt: Prompt, *, in_text: bool) -> tuple[ModelMessage, ...]:
    """Return the first messages: our rules, then the work, then the task, so that what changes least comes first."""
    from pydantic_ai.messages import CachePoint, ModelRequest, UserPromptPart  # noqa: PLC0415 - see build_model

    ask = f"{prompt.ask}\n\n{prompt.for_free_text}" if in_text else prompt.ask
    content: list[UserContent] = [prompt.work, CachePoint(), ask]
    said = content if endpoint.provider is ANTHROPIC else f"{prompt.work}\n{ask}"
    return (ModelRequest(parts=[UserPromptPart(content=said)], instructions=prompt.system),)


def again(reply: Reply, why: str, system: str) -> tuple[ModelMessage, ...]:
    """Return the conversation with one more turn: what was wrong with the answer."""
    from pydantic_ai.messages import ModelRequest, UserPromptPart  # noqa: PLC0415 - see build_model

    ask = f"Your answer does not count: {why}. Give the whole answer once more, in the same shape, with that mended."
    return (*reply.history, ModelRequest(parts=[UserPromptPart(content=ask)], instructions=system))


def writes_schema(model: Model) -> bool:
    """True if the provider itself holds the model to a schema."""
    return bool(model.profile.get("supports_json_schema_output", False))


async def ask(model: Model, endpoint: Endpoint, messages: tuple[ModelMessage, ...], task: Task | None = None) -> Reply:
    """Send one request and return the reply, in the shape that a task asks for; the library's errors are not caught."""
    from pydantic_ai.direct import model_request  # noqa: PLC0415 - see build_model

    # `instrument` is off: the content belongs in no trace, whatever the process around us has switched on.
    response = await model_request(
        model,
        list(messages),
        model_settings=_settings(endpoint, task),
        model_request_parameters=_parameters(model, endpoint, task) if task else None,
        instrument=False,
    )
    usage = response.usage
    return Reply(
        text=response.text or "",
        ended=response.finish_reason or "stop",
        tokens=usage.input_tokens + usage.output_tokens,
        usd_micro=_price(response, endpoint),
        model=response.model_name or endpoint.name,
        history=(*messages, response),
    )


def written(reply: Reply) -> str:
    """Return a reply as text, with its conversation."""
    from pydantic_ai.messages import ModelMessagesTypeAdapter  # noqa: PLC0415 - see build_model

    said = ModelMessagesTypeAdapter.dump_python(list(reply.history), mode="json")
    return json.dumps(
        {
            "text": reply.text,
            "ended": reply.ended,
            "tokens": reply.tokens,
            "usd_micro": reply.usd_micro,
            "model": reply.model,
            "history": said,
        }
    )


def read_back(text: str) -> Reply:
    """Return the reply from its text."""
    from pydantic_ai.messages import ModelMessagesTypeAdapter  # noqa: PLC0415 - see build_model

    data = json.loads(text)
    return Reply(**{**data, "history": tuple(ModelMessagesTypeAdapter.validate_python(data["history"]))})


def _parameters(model: Model, endpoint: Endpoint, task: Task) -> ModelRequestParameters | None:
    from pydantic_ai.models import ModelRequestParameters  # noqa: PLC0415 - see build_model
    from pydantic_ai.output import OutputObjectDefinition  # noqa: PLC0415

    if not writes_schema(model):
        return None
    # Strict mode takes no bounds, and a small model needs them to come to an end.
    schema = small_schema(task) if endpoint.is_small else dict(ANSWER_SCHEMA)
    shape = OutputObjectDefinition(json_schema=schema, name="review", strict=not endpoint.is_small)
    return ModelRequestParameters(output_mode="native", output_object=shape, allow_text_output=False)


def _settings(endpoint: Endpoint, task: Task | None) -> ModelSettings:
    settings: dict[str, object] = {"max_tokens": endpoint.answer_tokens, "max_retries": 0}
    if task is not None:
        # The library has a timeout of its own; how long a reviewer may take is for the person to decide.
        settings["timeout"] = task.bounds.seconds
    if endpoint.provider is ANTHROPIC:
        settings["anthropic_cache_instructions"] = True
    return cast("ModelSettings", settings)


def _price(response: ModelResponse, endpoint: Endpoint) -> int | None:
    """Return the price in millionths of a dollar, for the model that answered, else for the one that was asked."""
    from genai_prices import calc_price  # noqa: PLC0415 - comes with pydantic-ai, see build_model

    try:
        return round(response.cost().total_price * _MICRO)
    except (LookupError, ValueError, AssertionError):
        pass
    if response.usage.unmeasured_requests:
        return None
    try:
        found = calc_price(response.usage, endpoint.name, provider_id=endpoint.provider.name)
    except (LookupError, ValueError):
        return None
    return round(found.total_price * _MICRO)


def worst_price(endpoint: Endpoint, tokens: int) -> int | None:
    """Return the highest price of a request with this many tokens, in millionths of a dollar; None if unknown."""
    from genai_prices import Usage, calc_price  # noqa: PLC0415 - comes with pydantic-ai, see build_model

    usage = Usage(input_tokens=tokens, output_tokens=endpoint.answer_tokens)
    try:
        return round(calc_price(usage, endpoint.name, provider_id=endpoint.provider.name).total_price * _MICRO)
    except (LookupError, ValueError):
        return None
