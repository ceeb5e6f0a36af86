/** How `holdpoint serve` is told of. */
import { ROLES } from '../../core/people/role.ts'
import type { Command } from '../command/command.ts'
import { choiceFlag } from '../command/flag-words.ts'
import { type Flag, JSON_FLAG, STORE_FLAG } from '../command/flags.ts'
import { LOG_FLAG } from '../telemetry/log/log-format.ts'
import { OTLP_FLAG } from '../telemetry/spans/trace-settings.ts'

export const SERVER_COMMANDS: readonly Command[] = [
  {
    name: 'serve',
    group: 'serve',
    usage: '[--host ADDRESS] [--port N] [--no-work]',
    summary: 'serve runs, holds and decisions over HTTP, and advance runs',
    text: async () => (await import('../cli/help/texts/serving.ts')).SERVE,
    flags: [
      { name: 'host', value: 'ADDRESS', help: 'on which address (default 127.0.0.1, this machine alone)' },
      { name: 'port', value: 'N', help: 'where it listens (default 4747; 0 for any free port)' },
      { name: 'tls-cert', value: 'FILE', help: 'the certificate, in PEM' },
      { name: 'tls-key', value: 'FILE', help: 'its key, in PEM' },
      { name: 'behind-proxy', help: 'a proxy with TLS stands before it' },
      { name: 'name', value: 'HOST', multiple: true, help: 'requests may also address it by this name (repeatable)' },
      { name: 'address', value: 'URL', help: 'other hosts that share the store reach it there: for output of tasks' },
      { name: 'no-work', help: 'advance no runs here' },
      { name: 'concurrency', value: 'N', help: 'advance so many runs at once, at most (default 4)' },
      { name: 'grace', value: 'SECONDS', help: 'how long runs under way may take to come to rest (default 20)' },
      { name: 'metrics', help: 'figures for Prometheus at /metrics, for tokens with the role admin' },
      {
        name: 'metrics-port',
        value: 'N',
        help: 'the same on a port of its own, without a token (0 for any free port)',
      },
      { name: 'metrics-host', value: 'HOST', help: 'on which address that port is (default 127.0.0.1)' },
      { name: 'verbose', help: 'progress of each run on stderr' },
      OTLP_FLAG,
      LOG_FLAG,
      STORE_FLAG,
    ],
    load: () => import('../server/run-server.ts'),
  },
  {
    name: 'inbox',
    group: 'decide',
    usage: '[HOLD] [--port N] [--no-open]',
    summary: 'decide in a browser: opens the page, signed in as you',
    text: async () => (await import('../cli/help/texts/serving.ts')).INBOX,
    flags: [
      { name: 'port', value: 'N', help: 'where a server is started (default 4747, or any free port)' },
      { name: 'no-open', help: 'only print the link' },
      { name: 'no-work', help: 'advance no runs here' },
      { name: 'verbose', help: 'progress of each run on stderr' },
      STORE_FLAG,
      JSON_FLAG,
    ],
    load: () => import('../server/inbox/run-inbox.ts'),
  },
  {
    name: 'daemon',
    group: 'serve',
    usage: '[start | status | stop [--drain|--kill] | gc [--dry-run]]',
    summary: 'keep background agents going, for this user alone',
    text: async () => (await import('../cli/help/texts/serving.ts')).DAEMON,
    flags: [
      { name: 'drain', help: 'stop: only when no agent works any more; it starts none meanwhile' },
      { name: 'kill', help: 'stop: at once' },
      { name: 'dry-run', help: 'gc: only tell what would be removed' },
      { name: 'concurrency', value: 'N', help: 'advance so many other runs at once, at most (default 4)' },
      { name: 'grace', value: 'SECONDS', help: 'how long runs under way may take to come to rest (default 20)' },
      { name: 'verbose', help: 'progress of each run on stderr' },
      LOG_FLAG,
      STORE_FLAG,
      JSON_FLAG,
    ],
    words: ['start', 'status', 'stop', 'gc'],
    load: () => import('../server/daemon/daemon.ts'),
  },
  {
    name: 'tokens',
    group: 'serve',
    usage: '[list] | add NAME --role ROLE [--expires WHEN] | revoke TOKEN | own',
    summary: 'say who may use the server, and as what',
    text: async () => (await import('../cli/help/texts/serving.ts')).TOKENS,
    flags: [
      choiceFlag('role', ROLES, 'add: viewer, decider, operator or admin'),
      { name: 'expires', value: 'WHEN', help: 'add: 30d, 12h, … or an ISO time (default: it does not expire)' },
      { name: 'all', help: 'list: also those that were revoked or have expired' },
      STORE_FLAG,
      JSON_FLAG,
    ],
    words: ['list', 'add', 'revoke', 'own'],
    load: () => import('../cli/access/tokens.ts'),
  },
  {
    name: 'notices',
    group: 'serve',
    usage: '[list] [--failed] | retry NOTICE | send | test CHANNEL',
    summary: 'see who was told of holds, and try channels',
    text: async () => (await import('../cli/help/texts/serving.ts')).NOTICES,
    flags: [{ name: 'failed', help: 'list: only those that were given up' }, STORE_FLAG, JSON_FLAG],
    words: ['list', 'retry', 'send', 'test'],
    load: () => import('../cli/notices/notices.ts'),
  },
]

export const MCP_FLAGS: readonly Flag[] = [
  { name: 'http', help: 'over streamable HTTP, for any number of clients that bear the token' },
  { name: 'port', value: 'N', help: 'with --http: where it listens (default 4653; 0 for any free port)' },
  { name: 'host', value: 'ADDRESS', help: 'with --http: on which address (default 127.0.0.1, this machine alone)' },
  { name: 'agent', value: 'FILE', help: 'agents that are started here are this one' },
  { name: 'model', value: 'MODEL', help: 'with this model' },
  { name: 'tool', short: 't', value: 'NAME', multiple: true, help: 'with these tools at most (repeatable)' },
  { name: 'policy', value: 'FILE', help: 'under this policy (default .holdpoint/policy.json)' },
  { name: 'max-steps', value: 'N', help: 'for at most so many model answers each' },
  { name: 'workdir', short: 'w', value: 'DIR', help: 'where they and commands work (default: here)' },
  STORE_FLAG,
]
