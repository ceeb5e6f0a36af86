/** The files of `examples/deploy/`: what they start, Holdpoint knows, and it has the time to come to rest. */
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { parseFlags } from '../../src/hosts/command/flags.ts'
import { COMMANDS } from '../../src/hosts/entry/commands.ts'
import { readServerSettings } from '../../src/hosts/server/server-settings.ts'
import { readWorkSettings } from '../../src/hosts/worker/work-settings.ts'

interface Started {
  readonly file: string
  readonly args: readonly string[]
  /** Seconds from SIGTERM to SIGKILL. */
  readonly patience: number
  readonly variables: readonly string[]
}

function text(name: string): string {
  return readFileSync(`examples/deploy/${name}`, 'utf8')
}

function ofCompose(): Started[] {
  const { services } = parse(text('compose.yaml'), { merge: true })
  return [services.worker, services.server].map(({ command, environment, stop_grace_period }) => ({
    ...{ file: 'compose.yaml', args: command, variables: Object.keys(environment) },
    patience: Number.parseInt(stop_grace_period, 10),
  }))
}

function ofKubernetes(): Started[] {
  const documents = parseAllDocuments(text('kubernetes.yaml')).map(document => document.toJS({}))
  const variables = documents.filter(({ kind }) => kind === 'ConfigMap').flatMap(({ data }) => Object.keys(data))
  return documents
    .filter(({ kind }) => kind === 'Deployment')
    .map(({ spec: { template } }) => ({
      ...{ file: 'kubernetes.yaml', args: template.spec.containers[0].args, variables },
      patience: template.spec.terminationGracePeriodSeconds,
    }))
}

const UNITS = globSync('*.service', { cwd: 'examples/deploy' })

function ofSystemd(file: string): Started {
  const lines = text(file).split('\n')
  const settingOf = (key: string) => lines.find(line => line.startsWith(`${key}=`))?.slice(key.length + 1) ?? ''
  const [program, ...args] = settingOf('ExecStart').split(' ')
  expect(program).toMatch(/\/node_modules\/\.bin\/holdpoint$/)
  return {
    file,
    args,
    patience: Number(settingOf('TimeoutStopSec')),
    variables: text(file).match(/HOLDPOINT_[A-Z]+/g) ?? [],
  }
}

const STARTED: readonly Started[] = [...ofCompose(), ...ofKubernetes(), ...UNITS.map(ofSystemd)]

test.each(STARTED)('$file starts $args.0 with flags that it takes, and waits longer for it than it needs', started => {
  const [name, ...args] = started.args
  const command = COMMANDS.find(known => known.name === name)
  const given = parseFlags(command?.flags ?? [], args)
  const { graceMs } = readWorkSettings(given)
  expect(started.patience * 1000).toBeGreaterThan(graceMs)
  expect(given.words).toEqual([])
  if (name === 'serve') expect(readServerSettings(given, {})).toMatchObject({ isBehindProxy: true, works: false })
})

test('there are three workers, two servers and a database, and units for both', () => {
  const { services } = parse(text('compose.yaml'), { merge: true })
  const replicas = Object.values<{ deploy?: { replicas: number } }>(services).map(({ deploy }) => deploy?.replicas ?? 1)
  expect(replicas).toEqual([1, 3, 2])
  expect(UNITS.toSorted()).toEqual(['holdpoint-server@.service', 'holdpoint-worker@.service'])
})

test('each variable of Holdpoint in them is one that it reads', () => {
  const read = globSync('src/**/*.ts').map(file => readFileSync(file, 'utf8'))
  const named = [...new Set(STARTED.flatMap(({ variables }) => variables))].filter(name =>
    name.startsWith('HOLDPOINT_'),
  )
  expect(named.toSorted()).toEqual(['HOLDPOINT_MODEL', 'HOLDPOINT_STORE'])
  for (const name of named)
    expect(
      read.some(source => source.includes(name)),
      name,
    ).toBe(true)
})

test('the probes ask routes that are there, and the image starts the command line', () => {
  const routes = readFileSync('src/protocols/rest/routes/health-routes.ts', 'utf8')
  const probed = [...`${text('kubernetes.yaml')}${text('compose.yaml')}`.matchAll(/\/(?:healthz|readyz)/g)].map(
    ([path]) => path,
  )
  expect(new Set(probed)).toEqual(new Set(['/healthz', '/readyz']))
  for (const path of new Set(probed)) expect(routes).toContain(`'GET ${path}'`)
  expect(text('Dockerfile')).toMatch(/ENTRYPOINT \["\/app\/node_modules\/\.bin\/holdpoint"\]/)
})
