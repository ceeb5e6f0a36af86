import type { Command } from '../command/command.ts'
import { JSON_FLAG } from '../command/flags.ts'

/** The commands of the first minutes, in the order in which the help lists them. */
export const STARTING_COMMANDS: readonly Command[] = [
  {
    name: 'init',
    group: 'start',
    usage: '[AGENT]',
    summary: 'set up this directory: settings, policy, agent',
    text: async () => (await import('../cli/help/texts/starting.ts')).INIT,
    flags: [JSON_FLAG],
    load: () => import('../cli/start/init.ts'),
  },
  {
    name: 'demo',
    group: 'start',
    usage: '',
    summary: 'see a run pause, be approved, and finish',
    text: async () => (await import('../cli/help/texts/starting.ts')).DEMO,
    flags: [],
    load: () => import('../cli/help/demo.ts'),
  },
]
