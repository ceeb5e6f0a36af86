import type { Command } from '../command/command.ts'
import { STORE_FLAG } from '../command/flags.ts'

export const CHAT_COMMAND: Command = {
  name: 'chat',
  group: 'start',
  usage: '[SESSION]',
  summary: 'talk with an agent in this terminal',
  text: async () => (await import('../cli/help/texts/starting.ts')).CHAT,
  flags: [
    { name: 'agent', value: 'FILE', help: 'the agent: its name in .holdpoint/agents/, or its file' },
    { name: 'model', value: 'MODEL', help: 'provider/model, or script:FILE (default HOLDPOINT_MODEL)' },
    {
      name: 'checkpoint',
      short: 'c',
      value: 'ID',
      help: 'go on with this session: its id, a run, a checkpoint, or `last`',
    },
    { name: 'continue', help: 'go on with the last session, as `-c last`' },
    { name: 'tool', short: 't', value: 'NAME', multiple: true, help: 'allow only this tool (repeatable)' },
    { name: 'policy', value: 'FILE', help: 'which calls run, ask or never run (default .holdpoint/policy.json)' },
    { name: 'workdir', short: 'w', value: 'DIR', help: 'where tools work (default: here)' },
    { name: 'plain', help: 'lines alone, for screen readers: nothing is drawn twice' },
    STORE_FLAG,
  ],
  load: () => import('../terminal/run-chat.ts'),
}
