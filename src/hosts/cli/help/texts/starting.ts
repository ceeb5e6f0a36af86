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

export const DEMO: CommandText = {
  about: [
    "Works in a fresh directory below the system's temporary one, with a scripted model: no key, no server, and nothing of yours is touched. It prints the commands that it runs.",
  ],
  examples: [],
}

