"""Kinds of tools, where it matters what a failure or a fix of theirs can mean."""

from __future__ import annotations

from memskill.lessons.command import Command

# They only look: nothing that they do can mend anything.
_LOOKERS = frozenset(
    """ls cat head tail less find grep rg egrep fgrep ag ack wc stat tree pwd which whereis type
    echo printf nl file jq yq sort uniq cut tr awk du df date env ps pgrep lsof id whoami uname
    diff cmp test [ [[ true false sleep wait read cd pushd popd export unset set source .
    history man help hostname basename dirname realpath readlink xxd od strings curl-head seq
    column tee""".split()
)
_LOOKING_GIT = frozenset(
    """status log diff show branch blame ls-files rev-parse describe grep reflog shortlog""".split()
)
# Exit 1 of these is an answer, not a failure.
SEARCHERS = frozenset(("grep", "rg", "egrep", "fgrep", "ag", "ack", "pgrep", "pkill", "killall"))
COMPARERS = frozenset(("diff", "cmp", "test", "[", "[[", "which", "command", "type", "colordiff"))
# They set the stage and hardly ever are what failed.
STAGE = frozenset(
    """cd pushd popd echo printf export set unset source . true sleep mkdir wait""".split()
)
# They judge the code under work: when they fail, an edit of that code is the daily round.
_CHECKERS = frozenset(
    """pytest unittest jest vitest mocha ava tsc tsgo eslint biome ruff mypy pyright black isort
    flake8 pylint prettier stylelint rspec rubocop phpunit phpstan ctest tox nox make just
    gradle mvn sbt xcodebuild swift javac gcc g++ clang rustc ghc webpack vite rollup esbuild
    tsup turbo nx playwright cypress shellcheck golangci-lint go cargo dialyzer credo hypothesis
    coverage pre-commit bazel buck ninja meson cmake sphinx-build mkdocs astro next nuxt""".split()
)
_CHECKING = frozenset(
    """test tests check lint build typecheck type-check compile format credo dialyzer verify
    coverage e2e unit dev start typecheck:watch vet clippy fmt docs""".split()
)
_PACKAGERS = frozenset(("npm", "yarn", "pnpm", "bun", "mix", "dotnet", "deno", "rake", "uv"))
# They run a program that is itself under work.
_INTERPRETERS = frozenset(
    """python node ruby perl php bash sh zsh deno tsx ts-node bun elixir julia Rscript
    lua""".split()
)


def looks_only(command: Command) -> bool:
    """Tell whether a command only shows something."""
    if command.tool == "sed":
        return "-i" not in command.shape and not any(w.startswith("-i") for w in command.shape)
    if command.tool == "git":
        return command.subcommand in _LOOKING_GIT
    return command.tool in _LOOKERS


def judges_work(command: Command) -> bool:
    """Tell whether a command tests, checks, builds or runs the code under work."""
    if command.tool in _CHECKERS or command.tool in _INTERPRETERS:
        return True
    words = command.subcommand.split()
    if command.tool in _PACKAGERS and words:
        return words[-1].split(":")[0] in _CHECKING or words[0] in ("test", "run")
    # A script of the project.
    return command.shape[0].startswith("./") or command.tool.endswith((".sh", ".py", ".js", ".ts"))
