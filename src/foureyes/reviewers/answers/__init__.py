"""Answers of agents and models: one schema for all of them, with every claim checked against the work."""

from foureyes.reviewers.answers.free_text import extract_json
from foureyes.reviewers.answers.reading import read_answer
from foureyes.reviewers.answers.schema import ANSWER_SCHEMA, small_schema
from foureyes.reviewers.answers.shown import shown

__all__ = ["ANSWER_SCHEMA", "extract_json", "read_answer", "shown", "small_schema"]
