/** The files of a new project, with comments that explain them. */

/** Comments say what each key does; `model` is `null` if the environment has no key for one. */
export function starterConfig({ agent, model }: { readonly agent: string; readonly model: string | null }): string {
  const chosen = model === null ? '// "model": "anthropic/claude-sonnet-4-5",' : `"model": ${JSON.stringify(model)},`
  return `// Settings of this project. Each key may be left out; comments and trailing commas are fine.
{
  // The agent of runs that name none: .holdpoint/agents/${agent}.md
  "agent": ${JSON.stringify(agent)},

  // The model of runs whose agent names none. HOLDPOINT_MODEL and --model go before it.
  ${chosen}

  // Runs wait for a person before a call that the policy asks about, and at a question.
  "pause_on": ["approval", "question"],

  // How long people have. Without it a run waits for as long as it takes. Three days, then the run ends:
  // "due": { "seconds": 259200, "on_due": "cancel" },
}
`
}

export const STARTER_POLICY = `// Which calls of tools run, which ask a person, and which never run: "auto", "prompt" or "never".
// Try it: holdpoint policy check "git push --force"
{
  // Tools that nothing below speaks of.
  "default": "prompt",

  "tools": {
    "read_file": "auto",
    "list_files": "auto",
    "ask_human": "auto",
    "run_command": "prompt",
  },

  // A rule with a match goes before its tool. If two rules match, the stricter one counts.
  "rules": [
    // These only look.
    { "tool": "run_command", "match": { "command": "git status*" }, "policy": "auto" },
    { "tool": "run_command", "match": { "command": "git diff*" }, "policy": "auto" },
    { "tool": "run_command", "match": { "command": "git log*" }, "policy": "auto" },

    // These are hard to take back.
    { "tool": "run_command", "match": { "command": "git push --force*" }, "policy": "never" },
    { "tool": "run_command", "match": { "command": "sudo *" }, "policy": "never" },
  ],

  // A call under "never" is put to a person, who may override it. "reject" refuses it at once.
  "on_never": "pause",
}
`

export const STARTER_AGENT = `---
# The front matter says what the agent is and may do; each key may be left out.
# Its name is the name of this file. Another one, as it stands in lists and records:
# name: deployer

# The model of this agent, before that of the project:
# model: anthropic/claude-sonnet-4-5

# Its tools: built-in ones, and server__tool of MCP servers. Without the key it has all of them.
tools: [read_file, list_files, write_file, edit_file, run_command, ask_human]

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

/** For a first run without a key. */
export const STARTER_SCRIPT = `# A scripted model: it answers by this list, so a first run needs no key and costs nothing.
- text: I will write a greeting.
  calls:
    - { id: tc_1, name: run_command, args: { command: "echo hello > hello.txt" } }
- text: The greeting is in hello.txt.
`
