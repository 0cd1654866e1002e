"""Shipped data of the peer style: required kinds, reviewer matrix and criteria."""

from __future__ import annotations

from foureyes.core.gates.standards import Criteria
from foureyes.core.rules import MatrixRow

#: Kinds for which a policy of this style requires a review.
REQUIRED_KINDS = (
    "create_core",
    "create_app",
    "architecture_decision",
    "major_refactor",
    "breaking_change",
    "security_change",
    "database_migration",
    "api_endpoint_change",
)

#: Kinds that may skip the review if a program proves the bytes harmless.
TRIVIAL_KINDS = ("fix_typo", "update_formatting", "add_comment", "update_readme")

MATRIX = (
    MatrixRow(
        creator="architect",
        primary="optimizer",
        backup="auditor",
        escalate="human",
        reasons=("Optimizer ensures practical solutions", "Auditor checks quality standards"),
    ),
    MatrixRow(
        creator="core_developer",
        primary="auditor",
        backup="tester",
        escalate="architect",
        reasons=("Auditor reviews code quality and conventions", "Tester ensures it's testable"),
    ),
    MatrixRow(
        creator="app_developer",
        primary="architect",
        backup="core_developer",
        escalate="human",
        reasons=("Architect ensures app design makes sense", "Core developer checks for proper core usage"),
    ),
    MatrixRow(
        creator="optimizer",
        primary="architect",
        backup="auditor",
        escalate="human",
        reasons=("Architect checks if optimization is worth complexity", "Auditor ensures code remains readable"),
    ),
    MatrixRow(
        creator="tester",
        primary="core_developer",
        backup="auditor",
        escalate="architect",
        reasons=("Core developer ensures tests actually test the right thing", "Auditor checks test coverage"),
    ),
    MatrixRow(
        creator="idea_refiner",
        primary="architect",
        backup="optimizer",
        escalate="human",
        reasons=("Architect validates that ideas are feasible", "Optimizer checks if an idea is worth the effort"),
    ),
)

CRITERIA = (
    Criteria(
        kind="create_core",
        required=(
            ("correct_interface_design", "Interface is intuitive and follows conventions"),
            ("proper_error_handling", "Errors are caught and handled appropriately"),
            ("has_comprehensive_tests", "Tests cover happy path and edge cases"),
            ("follows_naming_conventions", "Names match core-xxx pattern and are descriptive"),
            ("no_breaking_changes", "Doesn't break existing cores or apps"),
            ("documentation_complete", "JSDoc comments and metadata are present"),
            ("single_responsibility", "Core does one thing well"),
            ("size_appropriate", "Under 300 lines or properly split"),
        ),
        optional=(
            ("performance_acceptable", "No obvious performance issues"),
            ("dependencies_justified", "Dependencies are necessary and reasonable"),
            ("config_schema_clear", "Configuration options are well-documented"),
        ),
    ),
    Criteria(
        kind="create_app",
        required=(
            ("uses_right_cores", "Core selection makes sense for requirements"),
            ("proper_configuration", "App config is complete and valid"),
            ("has_integration_tests", "Tests verify cores work together"),
            ("no_duplicate_logic", "Doesn't re-implement existing core functionality"),
            ("proper_lifecycle", "init/cleanup handled correctly"),
        ),
        optional=(
            ("ui_quality", "If hasUI, interface is usable (browser tests pass)"),
            ("error_recovery", "App handles core failures gracefully"),
        ),
    ),
    Criteria(
        kind="architecture_decision",
        required=(
            ("problem_clearly_stated", "Problem is well-defined"),
            ("options_evaluated", "Multiple approaches considered"),
            ("tradeoffs_documented", "Pros/cons for each option"),
            ("recommendation_justified", "Chosen approach is well-reasoned"),
            ("impacts_identified", "Effects on existing system are understood"),
        ),
        optional=(
            ("alternatives_considered", "Alternative approaches documented"),
            ("reversibility_noted", "How to undo this decision if needed"),
        ),
    ),
    Criteria(
        kind="major_refactor",
        required=(
            ("backwards_compatible", "Existing code still works OR migration path provided"),
            ("tests_still_pass", "All existing tests pass after refactor"),
            ("improvement_measurable", "Concrete benefit (performance, clarity, etc.)"),
            ("no_scope_creep", "Doesn't add features, just improves structure"),
        ),
        optional=(("rollback_plan", "Clear rollback strategy if issues arise"),),
    ),
)

#: The criteria of kinds without a set of their own.
DEFAULT_CRITERIA = Criteria(
    kind="default",
    required=(
        ("does_what_it_says", "The work does what its title and description say"),
        ("errors_handled", "What can go wrong is handled"),
        ("nothing_broken", "What worked before still works"),
    ),
    optional=(("documented", "Whoever comes next can understand it"),),
)
