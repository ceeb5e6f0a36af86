import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterEach, expect, test } from 'vitest'
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
  return { project, hold: hold.id as string }
}

let project: Project | null = null
afterEach(async () => project?.[Symbol.asyncDispose]())

async function attempted(script: string, files: Readonly<Record<string, string>> = {}) {
  const held = await aHeldEffect('bash attempt.sh', { ...files, 'attempt.sh': script })
  project = held.project
  await project.write('hold.txt', held.hold)
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
    `${UNSET}(bash -c '${APPROVE}; touch done' &)\nuntil test -e done; do sleep 0.1; done`,
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

test('a program of a person decides through the library by the name that it gives', async () => {
  const held = await aHeldEffect('true', { 'decide.mjs': DECIDE })
  project = held.project
  await project.write('hold.txt', held.hold)
  execFileSync(process.execPath, ['decide.mjs'], { cwd: project.directory })
  expect(JSON.parse(await project.read('out.json'))).toEqual({ outcome: 'recorded' })
  expect((await project.holdpoint('show', held.hold, '--json')).json).toMatchObject({ decision: { decided_by: 'ana' } })
})

test.runIf(isLinux)('a command that has ended leaves no note of it', async () => {
  const look = 'echo $$ > pid; ls /tmp/holdpoint-$(id -u)/commands > notes'
  project = await aProject({ script: [{ calls: [command('t1', look)] }, 'Done.'] })
  await project.holdpoint('-o', 'json', 'go')
  const note = `${(await project.read('pid')).trim()}-`
  const isIts = (name: string) => name.startsWith(note)
  expect((await project.read('notes')).split('\n').some(isIts)).toBe(true)
  expect(readdirSync(`/tmp/holdpoint-${process.getuid?.()}/commands`).filter(isIts)).toEqual([])
})
