import type { Command } from '../command/command.ts'
import { JSON_FLAG, STORE_FLAG } from '../command/flags.ts'

/** The commands of the first minutes, in the order in which the help lists them. */
export const STARTING_COMMANDS: readonly Command[] = [
  {
    name: 'chat',
    group: 'start',
    usage: '[SESSION]',
    summary: 'talk with an agent in this terminal',
    text: async () => (await import('../cli/help/texts/looking.ts')).CHAT,
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
  },
  {
    name: 'init',
    group: 'start',
    usage: '[AGENT]',
    summary: 'set up this directory: settings, policy, agent',
    text: async () => (await import('../cli/help/texts/looking.ts')).INIT,
    flags: [JSON_FLAG],
    load: () => import('../cli/start/init.ts'),
  },
  {
    name: 'new',
    group: 'start',
    usage: 'NAME',
    summary: 'make a project: an agent, its tools, a test',
    text: async () => (await import('../cli/help/texts/looking.ts')).NEW,
    flags: [JSON_FLAG],
    load: () => import('../cli/start/new.ts'),
  },
  {
    name: 'doctor',
    group: 'start',
    usage: '[--offline] [--timeout SECONDS]',
    summary: 'check that agents can run here',
    text: async () => (await import('../cli/help/texts/looking.ts')).DOCTOR,
    flags: [
      { name: 'offline', help: 'ask neither the model nor servers that are reached by HTTP' },
      { name: 'timeout', value: 'SECONDS', help: 'at most for each item, which says so if it is late (default 20)' },
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
    text: async () => (await import('../cli/help/texts/looking.ts')).DEMO,
    flags: [],
    load: () => import('../cli/help/demo.ts'),
  },
]
