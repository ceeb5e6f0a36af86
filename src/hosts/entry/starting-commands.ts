import type { Command } from '../command/command.ts'
import { JSON_FLAG, STORE_FLAG } from '../command/flags.ts'
import { CHAT_COMMAND } from './chat-command.ts'

/** The commands of the first minutes, in the order in which the help lists them. */
export const STARTING_COMMANDS: readonly Command[] = [
  CHAT_COMMAND,
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
    name: 'doctor',
    group: 'start',
    usage: '[--offline]',
    summary: 'check that agents can run here',
    text: async () => (await import('../cli/help/texts/starting.ts')).DOCTOR,
    flags: [
      { name: 'offline', help: 'ask neither the model nor servers that are reached by HTTP' },
      STORE_FLAG,
      JSON_FLAG,
    ],
    load: () => import('../cli/doctor/doctor.ts'),
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
