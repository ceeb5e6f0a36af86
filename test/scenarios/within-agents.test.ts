import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { openDatabase } from '../open-database.ts'
import { until } from './processes.ts'
import { aProject, CLI, command, effect, type Project } from './project.ts'

const LIBRARY = resolve(import.meta.dirname, '../../dist/index.js')

/** The calls of the agent that is held, and those of the agent that tries to release it, in a project of both. */
async function aHeldEffect(attempt: string, files: Readonly<Record<string, string>> = {}) {
  const project = await aProject({
    script: [{ calls: [effect('t1', 'released')] }, 'Done.'],
    files: {
      ...files,
      'attempt.json': JSON.stringify([{ calls: [command('a1', attempt)] }, 'Done.']),
      'attempt.sh': files['attempt.sh'] ?? '',
    },
  })
  const { json } = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  const [hold] = (await project.holdpoint('holds', '--json')).json
  expect(hold).toMatchObject({ run_id: json.run_id, status: 'open' })
  return { project, hold: hold.id as string, checkpoint: json.checkpoint_id as string }
}

let project: Project | null = null
afterEach(async () => project?.[Symbol.asyncDispose]())

async function attempted(script: string, files: Readonly<Record<string, string>> = {}) {
  const held = await aHeldEffect('bash attempt.sh', { ...files, 'attempt.sh': script })
  project = held.project
  await project.write('hold.txt', held.hold)
  await project.write('checkpoint.txt', held.checkpoint)
  const run = await project.holdpoint('--model', 'script:attempt.json', '-o', 'json', 'approve it')
  expect(run.exit).toBe(0)
  const { json } = await project.holdpoint('show', held.hold, '--json')
  return { project: held.project, json }
}

const APPROVE = `${process.execPath} ${CLI} approve "$(cat hold.txt)" --json >out.json 2>&1`
const UNSET = 'unset HOLDPOINT_WITHIN HOLDPOINT_COMMAND_IDS HOLDPOINT_IDEMPOTENCY_KEY; export HOLDPOINT_ACTOR=ana\n'
const isLinux = existsSync('/proc/self/stat')

const ATTEMPTS: readonly (readonly [title: string, script: string])[] = [
  ['unsets its name', UNSET + APPROVE],
  ['unsets its name and replaces its shell', `${UNSET}exec ${APPROVE}`],
  ['clears its environment and replaces its shell', `exec env -i HOLDPOINT_ACTOR=ana ${APPROVE}`],
  [
    'sends it to the background and ends its parent',
    `${UNSET}(bash -c '${APPROVE}; touch done' &)\nuntil test -e done || ! test -e attempt.sh; do sleep 0.1; done`,
  ],
  ['takes the name of another agent', `HOLDPOINT_WITHIN=agent:other/run_1 exec ${APPROVE}`],
]

test.runIf(isLinux).for(ATTEMPTS)(
  'P1: a command of an agent that %s signs as the agent all the same',
  async ([, script]) => {
    const { project: place, json } = await attempted(script)
    expect(JSON.parse(await place.read('out.json'))).toMatchObject({ error: { code: 'own_hold' } })
    expect(json).toMatchObject({ status: 'open', decision: null })
    expect(await place.effects()).toEqual([])
  },
)

/** What a command of an agent needs to make namespaces, as a machine may forbid it. */
const makesNamespaces = isLinux && spawnSync('unshare', ['-rpfm', '--mount-proc', 'true']).status === 0
const NODE = process.execPath
const APPROVES = `approve "$(cat hold.txt)" --json`
const COVER = `mount -t tmpfs none /tmp/holdpoint-${process.getuid?.()}`

const ELSEWHERE: readonly (readonly [title: string, script: string])[] = [
  [
    'is in namespaces of its own, under another name of the program',
    `ln -s ${CLI} q; exec unshare -rpf --mount-proc setpriv --reset-env ${NODE} q ${APPROVES} >out.json 2>&1`,
  ],
  ['is in a namespace of process ids, with the /proc of another', `exec unshare -rpf env -i ${APPROVE}`],
  ['has an empty /proc', `exec unshare -rm env -i PATH="$PATH" sh -c 'mount -t tmpfs none /proc; exec ${APPROVE}'`],
  [
    'covers itself in /proc by another process',
    `exec unshare -rm env -i PATH="$PATH" sh -c 'mount --bind /proc/1 /proc/$$; exec ${APPROVE}'`,
  ],
  ['hides the notes', `exec unshare -rm env -i PATH="$PATH" sh -c '${COVER}; exec ${APPROVE}'`],
  [
    'hides the notes and the processes',
    `exec unshare -rpfm --mount-proc env -i PATH="$PATH" sh -c '${COVER}; ${APPROVE}; true'`,
  ],
  [
    'is a daemon in namespaces of its own',
    `setsid unshare -rpfm --mount-proc env -i PATH="$PATH" sh -c '${COVER}; ${APPROVE}; touch done' &\n` +
      'until test -e done || ! test -e attempt.sh; do sleep 0.1; done',
  ],
]

test.runIf(makesNamespaces).for(ELSEWHERE)('P1: a command of an agent that %s decides nothing', async ([, script]) => {
  const { project: place, json } = await attempted(script)
  expect(JSON.parse(await place.read('out.json'))).toMatchObject({ error: { code: 'process_not_trusted' } })
  expect(json).toMatchObject({ status: 'open', decision: null })
  expect(await place.effects()).toEqual([])
})

/** As if the machine had been started again since the store was used. */
function restarted(place: Project): void {
  using database = openDatabase(place.path('.holdpoint/holdpoint.db'))
  database.exec("UPDATE places SET boot = 'of-the-start-before'")
}

const HIDDEN = `unshare -rpfm --mount-proc env -i PATH="$PATH" sh -c`

test.runIf(makesNamespaces)(
  'P1: after a start of the machine a command of another project decides nothing from namespaces of its own, and a person does',
  async () => {
    const held = await aHeldEffect('true')
    project = held.project
    restarted(project)
    const there = `cd ${project.directory}; export HOME=$PWD HOLDPOINT_ACTOR=ana; ${NODE} ${CLI}`
    await project.write(
      'attack.sh',
      `${COVER}; ${there} approve ${held.hold} --json >out.json; ${there} trust --here --yes --json >here.json; true`,
    )
    await using other = await aProject({
      script: [{ calls: [command('t1', 'bash attempt.sh')] }, 'Done.'],
      policy: { default: 'auto' },
      files: { 'attempt.sh': `${HIDDEN} 'sh ${project.path('attack.sh')}'` },
    })
    await other.holdpoint('-o', 'json', 'go')
    expect(JSON.parse(await project.read('out.json'))).toMatchObject({ error: { code: 'process_not_trusted' } })
    expect(JSON.parse(await project.read('here.json'))).toMatchObject({ error: { code: 'place_not_trusted' } })
    const approved = await project.holdpoint('approve', held.hold, '--json')
    expect(approved.json).toMatchObject({ decision: { decided_by: 'ana' } })
  },
)

const WIDENS: readonly (readonly [title: string, words: string])[] = [
  ['adds a token', 'tokens add evil --role admin --json'],
  ['has the token of the owner', 'tokens own --json'],
  ['trusts a project', 'trust --yes --json'],
  ['trusts a place', 'trust --place 1/2-3-4 --yes --json'],
  ['serves', 'serve --port 0 -o json'],
  ['sets up a project', 'init --json'],
  ['takes away a run', 'checkpoint export cp_1 --out out.bundle --json'],
  ['resumes with an approval', '-c "$(cat checkpoint.txt)" --approve t1 -o json'],
  ['revokes a grant', 'grants revoke grant_1 --json'],
  ['deletes runs', 'prune --older-than 1s --json'],
  ['starts a daemon', 'daemon start --json'],
  ['signs a browser in', 'inbox --no-open --json'],
]

/** Runs a script in namespaces of its own, which no agent made. */
function inContainer(place: Project, script: string): ChildProcess {
  const env = { ...place.environment, HOLDPOINT_ACTOR: 'ana' }
  return spawn('unshare', ['-rpf', '--mount-proc', 'sh', '-c', script], { cwd: place.directory, env, stdio: 'ignore' })
}

test.runIf(makesNamespaces)('P1: a container decides once it is trusted from where people decide already', async () => {
  const held = await aHeldEffect('true')
  project = held.project
  await project.write('hold.txt', held.hold)
  const go = 'until test -e go || ! test -e hold.txt; do sleep 0.1; done'
  const script = `${APPROVE}; mv out.json before.json; ${NODE} ${CLI} trust --here --yes --json >here.json; touch asked; ${go}; ${APPROVE}`
  const container = inContainer(project, script)
  const ended = once(container, 'exit')
  await until(() => held.project.exists('asked'))
  expect(JSON.parse(await project.read('before.json'))).toMatchObject({ error: { code: 'process_not_trusted' } })
  const { error } = JSON.parse(await project.read('here.json'))
  expect(error.code).toBe('place_not_trusted')
  const [, place = ''] = /--place (\S+)`/.exec(error.hint) ?? []
  const trusted = await project.holdpoint('trust', '--place', place, '--yes', '--json')
  expect(trusted.json).toEqual({ outcome: 'trusted', place })
  await project.write('go', '')
  await ended
  expect(JSON.parse(await project.read('out.json'))).toMatchObject({ decision: { decided_by: 'ana' } })
  const audit = await project.holdpoint('audit', '--json')
  expect(audit.stdout).toContain('place.trusted')
  expect((await project.holdpoint('audit', 'verify')).exit).toBe(0)
})

const PEOPLE: readonly (readonly [title: string, command: string, ...args: string[]])[] = [
  ['in another session', 'setsid', '--wait'],
  ['in a terminal of its own', 'script', '-qec'],
  ['under sudo', 'sudo', '-E'],
]

test.runIf(isLinux).for(PEOPLE.filter(([, program]) => spawnSync('which', [program]).status === 0))(
  'a person decides %s',
  async ([, program, ...args]) => {
    const held = await aHeldEffect('true')
    project = held.project
    const line = [NODE, CLI, 'approve', held.hold]
    const words = program === 'script' ? [line.join(' '), '/dev/null'] : line
    execFileSync(program, [...args, ...words], { cwd: project.directory, env: project.environment })
    expect((await project.holdpoint('show', held.hold, '--json')).json).toMatchObject({
      decision: { decided_by: 'ana' },
    })
  },
)

const hasTmux = isLinux && spawnSync('tmux', ['-V']).status === 0

test.runIf(hasTmux)('a person decides in tmux, whose server has left their terminal', async () => {
  const held = await aHeldEffect('true')
  project = held.project
  const env = { ...project.environment, TMUX_TMPDIR: project.directory }
  const tmux = (...words: string[]) =>
    spawnSync('tmux', ['-L', 'story', '-f', '/dev/null', ...words], { cwd: held.project.directory, env })
  tmux('new-session', '-d', `${NODE} ${CLI} approve ${held.hold} >out.txt 2>&1; echo done >done`)
  await until(() => held.project.exists('done'))
  tmux('kill-server')
  expect((await project.holdpoint('show', held.hold, '--json')).json).toMatchObject({ decision: { decided_by: 'ana' } })
})

test.runIf(isLinux)('a person decides by a service that outlives who started it', async () => {
  const held = await aHeldEffect('true')
  project = held.project
  const line = `(setsid env -u HOLDPOINT_WITHIN ${NODE} ${CLI} approve ${held.hold} >out.txt 2>&1; touch done) &`
  execFileSync('sh', ['-c', line], { cwd: project.directory, env: project.environment, stdio: 'ignore' })
  await until(() => held.project.exists('done'))
  expect((await project.holdpoint('show', held.hold, '--json')).json).toMatchObject({ status: 'decided' })
})

test.runIf(makesNamespaces).for(WIDENS)(
  'P1: what %s is refused from namespaces that a command of an agent made',
  async ([, words]) => {
    const { project: place } = await attempted(
      `exec unshare -rpf --mount-proc env -i ${NODE} ${CLI} ${words} >out.json 2>&1`,
    )
    expect(await place.read('out.json')).toContain('process_not_trusted')
  },
)

const DECIDE = `import { openHoldpoint } from ${JSON.stringify(LIBRARY)}
import { readFileSync, writeFileSync } from 'node:fs'
delete process.env.HOLDPOINT_WITHIN
const holdpoint = await openHoldpoint({ store: 'sqlite:.holdpoint/holdpoint.db', env: {} })
const { outcome, error } = await holdpoint.decide(readFileSync('hold.txt', 'utf8'), { verdict: 'approve', decided_by: 'ana', surface: 'code' })
writeFileSync('out.json', JSON.stringify({ outcome, code: error?.code }))
await holdpoint[Symbol.asyncDispose]()
`

test.runIf(isLinux)('P1: a program that an agent runs decides through the library as that agent', async () => {
  const { project: place, json } = await attempted(`${UNSET}exec ${process.execPath} decide.mjs`, {
    'decide.mjs': DECIDE,
  })
  expect(JSON.parse(await place.read('out.json'))).toEqual({ outcome: 'refused', code: 'own_hold' })
  expect(json).toMatchObject({ status: 'open', decision: null })
})

const EXPORT = `import { openHoldpoint } from ${JSON.stringify(LIBRARY)}
import { readFileSync, writeFileSync } from 'node:fs'
const holdpoint = await openHoldpoint({ store: 'sqlite:.holdpoint/holdpoint.db', env: {} })
const { run_id } = await holdpoint.hold(readFileSync('hold.txt', 'utf8'))
const [{ id }] = await holdpoint.checkpoints((await holdpoint.run(run_id)).thread_id)
const said = { by: 'ana', surface: 'code', holdpoint: '1' }
const refused = []
const bundle = await holdpoint.bundles.export(id, said).catch(error => refused.push(error.code))
await holdpoint.bundles.import({}, { ...said, authenticated: true }).catch(error => refused.push(error.code))
writeFileSync('out.json', JSON.stringify(refused))
await holdpoint[Symbol.asyncDispose]()
`

test.runIf(isLinux)('P1: a program that an agent runs takes no held run away, and brings none', async () => {
  const { project: place, json } = await attempted(`exec ${process.execPath} export.mjs`, { 'export.mjs': EXPORT })
  expect(JSON.parse(await place.read('out.json'))).toEqual(['agent_cannot_export', 'agent_cannot_import'])
  expect(json).toMatchObject({ status: 'open' })
})

test('a program of a person decides through the library by the name that it gives', async () => {
  const held = await aHeldEffect('true', { 'decide.mjs': DECIDE })
  project = held.project
  await project.write('hold.txt', held.hold)
  execFileSync(process.execPath, ['decide.mjs'], { cwd: project.directory })
  expect(JSON.parse(await project.read('out.json'))).toEqual({ outcome: 'recorded' })
  expect((await project.holdpoint('show', held.hold, '--json')).json).toMatchObject({ decision: { decided_by: 'ana' } })
})

test.runIf(isLinux)('a command that has ended leaves no note of it', async () => {
  // Its note is made once it runs.
  const look = `echo $$ > pid
    for n in $(seq 100); do ls /tmp/holdpoint-$(id -u)/commands > notes; grep -q "^$$-" notes && break; sleep 0.1; done`
  project = await aProject({ script: [{ calls: [command('t1', look)] }, 'Done.'] })
  await project.holdpoint('-o', 'json', 'go')
  const note = `${(await project.read('pid')).trim()}-`
  const isIts = (name: string) => name.startsWith(note)
  expect((await project.read('notes')).split('\n').some(isIts)).toBe(true)
  expect(readdirSync(`/tmp/holdpoint-${process.getuid?.()}/commands`).filter(isIts)).toEqual([])
})
