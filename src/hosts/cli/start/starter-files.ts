/** The files of a new project, with comments that explain them. */
import type { StarterEffects } from './starter-effects.ts'

/** The settings that differ from project to project. */
interface StarterSettings {
  /** The name or the file of the agent. */
  readonly agent: string
  /** What a comment says of it. */
  readonly about: string
  /** `null`: the agent, or the environment, has one. */
  readonly model: string | null
}

/** Comments say what each key does. */
export function starterConfig({ agent, about, model }: StarterSettings): string {
  const chosen = model === null ? '// "model": "anthropic/claude-sonnet-4-5",' : `"model": ${JSON.stringify(model)},`
  return `// Settings of this project. Each key may be left out; comments and trailing commas are fine.
{
  // The agent of runs that name none: ${about}
  "agent": ${JSON.stringify(agent)},

  // The model of runs whose agent names none. HOLDPOINT_MODEL and --model go before it.
  ${chosen}

  // Runs wait for a person before a call that the policy asks about, and at a question.
  "pause_on": ["approval", "question"],

  // A run that pauses for nobody refuses the calls that the policy asks about. "run" lets them run, with a warning.
  "unasked": "refuse",

  // How long people have. Without it a run waits for as long as it takes. Three days, then the run ends:
  // "due": { "seconds": 259200, "on_due": "cancel" },
}
`
}

/** Files from which a project's test commands are known, and these commands. */
const USUAL_COMMANDS: readonly (readonly [file: string, says: RegExp, command: string])[] = [
  ['package.json', /"test"\s*:/, 'npm test'],
  ...['build', 'lint', 'typecheck', 'check'].map(
    name => ['package.json', new RegExp(`"${name}"\\s*:`), `npm run ${name}`] as const,
  ),
  ['package.json', /"typescript"\s*:/, 'npx tsc --noEmit'],
  ...['vitest', 'jest', 'eslint'].map(name => ['package.json', new RegExp(`"${name}"\\s*:`), `npx ${name}`] as const),
  ['pyproject.toml', /pytest/, 'pytest'],
  ['Cargo.toml', /^/, 'cargo test'],
  ['go.mod', /^/, 'go test'],
  ['Makefile', /^test:/m, 'make test'],
]

/** The commands by which the project whose files `read` gives is built and tested; `null`: it has no such file. */
export function usualCommands(read: (file: string) => string | null): readonly string[] {
  return USUAL_COMMANDS.flatMap(([file, says, command]) => {
    const text = read(file)
    return text !== null && says.test(text) ? [command, `${command} *`] : []
  })
}

/** `commands`: patterns of what the project runs all the time. */
export function starterPolicy(commands: readonly string[], effects: StarterEffects): string {
  const rules = commands.map(command => `    ${ruleFor(command, 'auto')}\n`).join('')
  return `// Which calls of tools run, run in a box, ask a person, or never run: "auto", "box", "prompt" or "never".
// Try it: holdpoint policy check "git push --force"
{
  // Tools that nothing below speaks of.
  "default": "prompt",

  // Commands that only read what lies in the directory of the run need no rule: ls, cat, grep, git status, git diff.
  "reads": "auto",

  "tools": {
    "read_file": "auto",
    "list_files": "auto",
    "find_files": "auto",
    "search_files": "auto",
    "ask_human": "auto",
    // It runs at once, and what it did to files is kept by the rules in "effects". Without a box a person is asked.
    "run_command": "box",
  },

  // What calls may do to files and hosts without a question, as in .gitignore. A person is asked about the rest.
  "effects": {
    "write": ${listed(effects.write)},
    "delete": ${listed(effects.delete)},
    // Never read and never changed by a call.
    "never": ${listed(effects.never)},
    // NAME or NAME:PORT that commands in a box may connect to, for example "registry.npmjs.org".
    "hosts": [],
    // Commits of git need no question. Its hooks and its settings do.
    "git": "commit",
  },

  // A rule with a match goes before its tool. If two rules match, the stricter one counts. Of a line of several commands
  // each must be permitted.
  "rules": [
${rules === '' ? '' : `    // These build and test the project: they run what is written in it.\n${rules}\n`}    // These are hard to take back.
    ${ruleFor('git push --force*', 'never')}
    ${ruleFor('sudo *', 'never')}
  ],

  // A call under "never" is put to a person, who may override it. "reject" refuses it at once.
  "on_never": "pause",
}
`
}

/** A line for each few, so that the file stays easy to read. */
function listed(patterns: readonly string[]): string {
  const rows = patterns.flatMap((_, at) => (at % PER_LINE === 0 ? [patterns.slice(at, at + PER_LINE)] : []))
  const lines = rows.map(row => row.map(pattern => JSON.stringify(pattern)).join(', '))
  return lines.length > 1 ? `[\n      ${lines.join(',\n      ')},\n    ]` : `[${lines.join('')}]`
}

const PER_LINE = 5

function ruleFor(command: string, policy: 'auto' | 'never'): string {
  return `{ "tool": "run_command", "match": { "command": ${JSON.stringify(command)} }, "policy": "${policy}" },`
}

/** `script`: the file of the script that it plays; `null` if a real model is chosen elsewhere. */
export function starterAgent(script: string | null): string {
  return `---
# The front matter says what the agent is and may do; each key may be left out.
# Its name is the name of this file. Another one, as it stands in lists and records:
# name: deployer

${script === null ? CHOSEN_ELSEWHERE : playing(script)}

# Its tools: built-in ones, and server__tool of MCP servers. Without the key it has all of them.
tools: [read_file, list_files, find_files, search_files, write_file, edit_file, run_command, ask_human]

# What ends a run early:
stop:
  - { type: max_rounds, rounds: 50 }

# More keys: policy, pause_on, due, deciders, temperature, reasoning.
---
You work in the directory of a project, on behalf of a person.

Look before you change something, and make small changes. If you are not sure what the person wants, ask with ask_human.
If a call is rejected, do not try the same again: find another way, or say what you need. At the end, say in a few words
what you did.
`
}

const CHOSEN_ELSEWHERE = `# The model of this agent, before that of the project:
# model: anthropic/claude-sonnet-4-5`

function playing(script: string): string {
  return `# It plays a script, so it needs no key and costs nothing. A real model, with its key in ANTHROPIC_API_KEY:
# model: anthropic/claude-sonnet-4-5
model: script:${script}`
}

/** The script of an agent without a key. It uses the agent's tools. */
export const STARTER_SCRIPT = `# What a scripted model answers, turn by turn, whatever it is told. Change it, and play it again.
- text: I look at what is here.
  calls:
    - { id: tc_1, name: list_files, args: {} }
- text: I will write a greeting.
  calls:
    - { id: tc_2, name: run_command, args: { command: "echo hello > hello.txt" } }
- The greeting is in hello.txt.
- I am a script, and have said all that I know. For a real model change the front matter of my agent.
`
