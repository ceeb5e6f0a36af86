import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { CallFacts } from '../core/policy/policy.ts'
import type { JsonObject } from '../core/text/json.ts'
import type { Control } from '../ports/agent/control.ts'
import { agentControls } from '../runtime/agent-tasks/controls/controls.ts'
import { controlTool } from './control-tool.ts'

const CONTROL: Control = {
  name: 'run_command_task',
  title: '',
  description: '',
  inputSchema: {},
  outputSchema: {},
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
  call: async () => ({}),
}

async function facts(args: JsonObject, workdir: string, rulesFrom?: string): Promise<CallFacts> {
  const found = await controlTool(CONTROL).inspect?.(args, workdir, rulesFrom)
  return found ?? expect.fail('it has no inspect')
}

async function aWorkdir(): Promise<string> {
  const workdir = await realpath(await mkdtemp(join(tmpdir(), 'holdpoint-')))
  onTestFinished(() => rm(workdir, { recursive: true, force: true, maxRetries: 10 }))
  await mkdir(join(workdir, '.holdpoint', 'session'), { recursive: true })
  await mkdir(join(workdir, 'below'))
  await symlink('.holdpoint', join(workdir, 'harmless'))
  return workdir
}

test.each(['.holdpoint', './below/../.holdpoint/session', 'harmless', 'harmless/session'])(
  'P1: a command that is to work in %s always needs a person, whatever it says',
  async workdir => {
    const home = await aWorkdir()
    expect((await facts({ command: 'ls', workdir }, home)).protected).toEqual(expect.any(String))
    expect((await facts({ argv: ['ls'], workdir: join(home, workdir) }, home)).protected).toEqual(expect.any(String))
  },
)

test('P1: no pattern permits a command that works elsewhere than the rules are about', async () => {
  const home = await aWorkdir()
  const as = async (args: JsonObject, workdir: string) => (await facts(args, workdir, home)).readings['command']?.as
  expect(await as({ command: './build' }, home)).toBe('./build')
  expect(await as({ command: './build', workdir: '.' }, home)).toBe('./build')
  expect(await as({ command: './build', workdir: 'below' }, home)).toBeNull()
  expect(await as({ command: './build' }, join(home, 'below'))).toBeNull()
})

test('P3: after a crash nobody is asked about a control that can be used again without harm, and about every other one', () => {
  const tools = agentControls(() => Promise.reject(new TypeError('not used'))).map(controlTool)
  const asked = tools.filter(({ idempotent }) => !idempotent).map(({ name }) => name)
  expect(asked).toEqual(['run_command_task', 'subagent_task', 'resume_task', 'send_message'])
})
