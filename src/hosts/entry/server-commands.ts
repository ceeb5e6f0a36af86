/** How `holdpoint serve` is told of. */
import type { Command } from '../command/command.ts'
import { STORE_FLAG } from '../command/flags.ts'

export const SERVER_COMMANDS: readonly Command[] = [
  {
    name: 'serve',
    group: 'serve',
    usage: '[--host ADDRESS] [--port N] [--no-work]',
    summary: 'serve runs, holds and decisions over HTTP, and advance runs',
    text: async () => (await import('../cli/help/texts/http-serving.ts')).SERVE,
    flags: [
      { name: 'host', value: 'ADDRESS', help: 'on which address (default 127.0.0.1, this machine alone)' },
      { name: 'port', value: 'N', help: 'where it listens (default 4747; 0 for any free port)' },
      { name: 'no-work', help: 'advance no runs here' },
      { name: 'concurrency', value: 'N', help: 'advance so many runs at once, at most (default 4)' },
      { name: 'grace', value: 'SECONDS', help: 'how long runs under way may take to come to rest (default 20)' },
      { name: 'verbose', help: 'progress of each run on stderr' },
      STORE_FLAG,
    ],
    load: () => import('../server/run-server.ts'),
  },
]
