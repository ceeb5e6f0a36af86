/** The help of the commands of the first minutes. */
import type { CommandText } from '../../../command/command-text.ts'

export const INIT: CommandText = {
  about: [
    'Writes `.holdpoint/config.json`, `.holdpoint/policy.json` and `.holdpoint/agents/AGENT.md` (default: assistant), explained by their comments, and says what to do next. A file that is there already stays as it is. Without a key of a model provider in the environment it also writes a scripted model, so that the first run needs none.',
  ],
  examples: [
    ['holdpoint init', 'here, with an agent called assistant'],
    ['holdpoint init deployer --json', 'the files, and the next command, for a script'],
  ],
}

export const CHAT: CommandText = {
  about: [
    'A conversation in the terminal. What was said stays in its scrollback; a few lines below show what runs, what waits for you, and what you write. The same policy, holds and records count as everywhere else.',
    'What waits never takes the keyboard. Tab goes to it, and only there a letter decides: a approves, r rejects, e edits, A allows it for good, Esc goes back. Enter and the space bar decide nothing. `/approve ID`, `/deny ID WHY` and the like decide without Tab; `/help` lists all commands.',
    'Each message is a run in one session. Ctrl+C stops the run at a safe point, twice leaves, and so does Ctrl+D. What waits then goes on waiting, and can be decided anywhere; `holdpoint chat SESSION` goes on.',
  ],
  examples: [
    ['holdpoint chat', 'with the agent and the model of this project'],
    ['holdpoint chat --agent deployer', 'with another agent'],
    ['holdpoint chat -c last', 'go on with the last session'],
    ['holdpoint chat --plain', 'with a screen reader'],
  ],
}

export const DOCTOR: CommandText = {
  about: [
    'One line for each check of Node, terminal, settings, trust, git, keys, store, agents, model and MCP servers: ok, warn or fail, and what to do. It changes nothing, and makes no store.',
    'It starts the MCP servers of a project that is trusted, asks for their tools, and stops them. The address of the model is asked once, without a key. Of keys it tells the names, never the values.',
    'Exits 0 if nothing failed, otherwise 1.',
  ],
  examples: [
    ['holdpoint doctor', 'can agents run here?'],
    ['holdpoint doctor --offline --json', 'without requests, for a script'],
  ],
}

export const DEMO: CommandText = {
  about: [
    "Works in a fresh directory below the system's temporary one, with a scripted model: no key, no server, and nothing of yours is touched. It prints the commands that it runs.",
  ],
  examples: [],
}
