/** The house (ARCHITECTURE.md): take the stairs down, never up; never walk through a wall on your own floor. */
const FLOORS = [
  ['core'],
  ['ports', 'async'],
  ['runtime'],
  [
    'stores',
    'models',
    'tools',
    'plugins',
    'notifiers',
    'tasks',
    'live',
    'dispatchers',
    'protocols',
    'client',
    'langgraph',
  ],
  ['hosts'],
]
const OUTSIDE = '(^node:|^[^.]*$|node_modules)'
const room = names => `^src/(${names.join('|')})/`
const above = floor => FLOORS.slice(floor + 1).flat()

const upward = FLOORS.slice(0, -1).map((names, floor) => ({
  name: `no-stairs-up-from-${names.join('-and-')}`,
  severity: 'error',
  from: { path: room(names), pathNot: '\\.test\\.ts$' },
  to: { path: room([...above(floor), 'testing']) },
}))

const walls = FLOORS[3].flatMap(name => ({
  name: `walls-of-${name}`,
  severity: 'error',
  from: { path: room([name]) },
  to: { path: room(FLOORS[3].filter(other => other !== name)) },
}))

/** The rooms of the top floor, lowest first. What every host needs stays below the hosts. */
const HOSTS = [
  ['refusals'],
  ['process'],
  ['display'],
  ['project', 'command', 'bundles'],
  ['telemetry'],
  ['agents', 'outcome', 'listening'],
  ['compose'],
  ['remote'],
  ['worker', 'asking', 'offering', 'agent-process', 'daemon'],
  ['terminal'],
  ['cli', 'headless', 'mcp', 'server', 'supervisor'],
  ['entry'],
]
const host = names => `^src/hosts/(${names.join('|')})/`

const hostStairs = HOSTS.slice(0, -1).flatMap((names, step) => [
  {
    name: `no-stairs-up-from-hosts-${names.join('-and-')}`,
    severity: 'error',
    from: { path: host(names), pathNot: '\\.test\\.ts$' },
    to: { path: host(HOSTS.slice(step + 1).flat()) },
  },
  {
    name: `walls-of-hosts-${names.join('-and-')}`,
    severity: 'error',
    from: { path: host(names) },
    to: { path: host(names), pathNot: '^src/hosts/$1/' },
  },
])

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...upward,
    ...walls,
    {
      name: 'core-is-pure',
      comment: 'No IO, no clock, no npm, no Node.',
      severity: 'error',
      from: { path: room(['core']), pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-peer', 'npm-optional', 'npm-no-pkg', 'unknown'] },
    },
    {
      name: 'ports-async-and-runtime-bring-no-io',
      severity: 'error',
      from: { path: room(['ports', 'async', 'runtime']), pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-peer', 'npm-optional', 'npm-no-pkg', 'unknown'] },
    },
    {
      name: 'ports-know-only-core',
      severity: 'error',
      from: { path: room(['ports']) },
      to: { path: room(['async']) },
    },
    {
      name: 'adapters-do-not-know-the-runtime',
      severity: 'error',
      from: {
        path: room(['stores', 'models', 'tools', 'plugins', 'notifiers', 'tasks', 'live', 'dispatchers', 'langgraph']),
        pathNot: '\\.test\\.ts$',
      },
      to: { path: room(['runtime']) },
    },
    {
      name: 'protocols-do-not-listen',
      comment:
        'Request to Response, or streams that are given from outside: sockets, files and processes are for hosts.',
      severity: 'error',
      from: { path: room(['protocols']), pathNot: '\\.test\\.ts$' },
      to: {
        path: '^(node:)?(child_process|cluster|dgram|fs|http|http2|https|net|os|process|sqlite|tls|worker_threads)(/|$)',
      },
    },
    {
      name: 'protocols-know-only-http',
      comment: 'The requests and problems of all protocols are one room; what is said in one protocol is its own.',
      severity: 'error',
      from: { path: '^src/protocols/([^/]+)/' },
      to: { path: '^src/protocols/', pathNot: '^src/protocols/($1|http|turns)/' },
    },
    {
      name: 'client-runs-in-browsers',
      severity: 'error',
      from: { path: room(['client']), pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-peer', 'npm-optional', 'npm-no-pkg', 'unknown'] },
    },
    {
      name: 'the-page-takes-types-and-pure-parts',
      comment:
        'It knows documents. The rules by which text is shown, the words, lines and chain of the audit log, kinds of holds, remarks on them and what came of them, sums of money, waits for providers, the statuses of agents, and the frames of streams, are the same everywhere.',
      severity: 'error',
      from: { path: '^web/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^(src|scripts)/',
        pathNot:
          '^src/(core/text/|core/audit/(audit-chain|export-line|record-words)\\.ts|core/hold-view/(blocks/|hold-result\\.ts)|core/hold/hold\\.ts|core/plan/plan\\.ts|core/run/outcome/(call-outcome|outage|run-failure)\\.ts|core/run/usage/money\\.ts|core/fleet/agent-status\\.ts|client/read-frames\\.ts)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'nothing-else-knows-the-page',
      severity: 'error',
      from: { path: '^(src|scripts)/' },
      to: { path: '^web/' },
    },
    ...hostStairs,
    {
      name: 'only-compose-names-adapters',
      comment: 'Agents bring tools of their own, so they may make them; everything else asks compose.',
      severity: 'error',
      from: { path: '^src/hosts/', pathNot: '^src/hosts/(compose/|agents/)|\\.test\\.ts$' },
      to: { path: room(['stores', 'models', 'tools', 'plugins', 'notifiers', 'tasks', 'live', 'dispatchers']) },
    },
    {
      name: 'nothing-inside-uses-the-front-door',
      severity: 'error',
      from: { path: '^src/[^/]+/' },
      to: { path: '^src/(index|store-rules)\\.ts$' },
    },
    {
      name: 'production-does-not-use-the-test-kit',
      severity: 'error',
      from: { path: '^src/(?!testing/)', pathNot: '\\.test\\.ts$' },
      to: { path: '^src/testing/' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['dynamic-import'] } },
    },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true, pathNot: OUTSIDE } },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
}
