/** What `policy check` and `doctor` say of boxes and of effects. */
import { symlink } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { boxMachine } from '../../src/tools/box/machine/machine.ts'
import { aProject } from './project.ts'

const POLICY = {
  tools: { run_command: 'box' },
  rules: [{ tool: 'run_command', match: { command: 'rm *' }, policy: 'never' }],
  effects: {
    write: ['src/**', '/dist/**'],
    delete: ['/dist/**'],
    never: ['.env', '*.pem'],
    hosts: ['registry.example', '!evil.example'],
    git: 'commit',
  },
}

const hasBox = (await boxMachine()).why === null

test.runIf(hasBox)('policy check tells what runs in a box', async () => {
  await using project = await aProject({ policy: POLICY })
  const { json } = await project.holdpoint('policy', 'check', 'make all', '--json')
  expect(json).toMatchObject({ policy: 'box', rule: 'tools.run_command: box', with_pause_on_approval: 'boxed' })
  const { stdout } = await project.holdpoint('policy', 'check', 'make all')
  expect(stdout).toContain('it runs in a box, and "effects" rule on what it did')
})

test('where there is no box, policy check says why a person is asked', async () => {
  await using project = await aProject({ policy: POLICY, env: { HOLDPOINT_BOX: 'off' } })
  const { json } = await project.holdpoint('policy', 'check', 'make all', '--json')
  expect(json).toMatchObject({ policy: 'prompt', with_pause_on_approval: 'asks' })
  expect(json.rule).toMatch(/would run in a box, but .*: asks/)
  const never = await project.holdpoint('policy', 'check', 'rm x', '--json')
  expect(never.json).toMatchObject({ policy: 'never' })
})

test('policy check rules on paths and hosts as on effects of commands', async () => {
  await using project = await aProject({ policy: POLICY, files: { 'src/a.ts': '', 'dist/b.js': '' } })
  await symlink(project.path('src'), project.path('link'))
  const paths = ['src/a.ts', './src/new/b.ts', 'src/../README.md', 'link/c.ts', project.path('src/d.ts'), 'sub/.env']
  const outside = ['../other', '/etc/passwd', '.holdpoint/policy.json', '.git/index', '.git/hooks/pre-commit']
  const flags = [...paths, ...outside].flatMap(path => ['--write', path])
  const { json } = await project.holdpoint('policy', 'check', ...flags, '--json')
  const verdicts = json.map(({ policy }: { policy: string }) => policy)
  expect(verdicts).toEqual([
    'auto',
    'auto',
    'prompt',
    'auto',
    'auto',
    'never',
    'never',
    'never',
    'never',
    'auto',
    'prompt',
  ])
  const others = ['--delete', 'dist', '--delete', 'src/a.ts', '--host', 'registry.example', '--host', 'x.example:22']
  const more = await project.holdpoint('policy', 'check', ...others, '--host', 'EVIL.example.', '--json')
  expect(more.json.map(({ of, policy }: { of: string; policy: string }) => `${of} ${policy}`)).toEqual([
    'dist auto',
    'src/a.ts prompt',
    'registry.example:443 auto',
    'x.example:22 prompt',
    'evil.example:443 never',
  ])
  expect(await project.holdpoint('policy', 'check', 'ls', '--write', 'a')).toMatchObject({ exit: 2 })
  expect(await project.holdpoint('policy', 'check', '--host', 'https://a.example/')).toMatchObject({ exit: 2 })
})

test('the box stands beside the store, wherever the command is started', async () => {
  const script = [{ calls: [{ id: 't1', name: 'run_command', args: { command: 'echo hi > a.txt' } }] }, 'Done.']
  await using project = await aProject({ policy: POLICY, script, files: { 'sub/file': '' } })
  await project.run(['-a', '--model', `script:${project.path('script.json')}`, 'go'], { cwd: project.path('sub') })
  expect(project.exists('sub/.holdpoint')).toBe(false)
})

test('doctor tells of the box, and of none', async () => {
  await using project = await aProject({ policy: POLICY })
  const boxOf = (json: { checks: { check: string; status: string; message: string; hint: string | null }[] }) =>
    json.checks.find(({ check }) => check === 'box')
  const here = boxOf((await project.holdpoint('doctor', '--offline', '--json')).json)
  if (hasBox) {
    expect(here).toMatchObject({ status: 'ok', hint: null })
    expect(here?.message).toMatch(/bwrap.*\.holdpoint\/boxes$/)
  } else expect(here?.message).toMatch(/^none: /)
  const off = await project.run(['doctor', '--offline', '--json'], { env: { HOLDPOINT_BOX: 'off' } })
  expect(boxOf(off.json)).toMatchObject({ status: 'ok', message: expect.stringContaining('switched off') })
})
