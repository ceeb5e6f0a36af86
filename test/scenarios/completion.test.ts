/** Completion: what `__complete` answers, and what a real bash makes of it. */
import { spawn } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aProject, CLI, effect, ended, type Project } from './project.ts'
import { wholeProject } from './whole-project.ts'

const SCRIPT = [{ text: 'I will.', calls: [effect('tc_1', 'one')] }, 'Done.']

/** What bash offers behind `line`, whose last word is the one being typed. */
async function offered(project: Project, line: string): Promise<string[]> {
  const words = line.split(' ').map(word => `'${word}'`)
  const drive = `source <(holdpoint completion bash)
COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}
_holdpoint holdpoint
printf '%s\\n' "\${COMPREPLY[@]}"`
  const bin = join(project.directory, '.bin')
  await mkdir(bin, { recursive: true })
  await writeFile(join(bin, 'holdpoint'), `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`)
  await chmod(join(bin, 'holdpoint'), 0o755)
  const env = { ...project.environment, PATH: `${bin}:${process.env['PATH']}` }
  const child = spawn('bash', ['--norc', '-c', drive], {
    cwd: project.directory,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { exit, stdout, stderr } = await ended(child)
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
  return stdout.split('\n').filter(word => word !== '')
}

test('bash completes commands, flags, values, files, agents and the ids of the store', async () => {
  await using project = await aProject({ script: SCRIPT, files: { 'policies/a.json': '', 'my plan.md': '' } })
  await project.write('.holdpoint/agents/deployer.md', 'Deploy.')
  const { json } = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  const [{ hold_id }] = json.pause_reason.pending_tool_calls
  expect(await offered(project, 'holdpoint ru')).toEqual(['runs'])
  expect(await offered(project, 'holdpoint --appr')).toEqual(['--approve', '--approve-all'])
  expect(await offered(project, 'holdpoint --prompt-file my')).toEqual(['my plan.md'])
  expect(await offered(project, 'holdpoint --policy pol')).toEqual(['policies'])
  expect(await offered(project, 'holdpoint --agent dep')).toEqual(['deployer'])
  expect(await offered(project, 'holdpoint approve ')).toEqual(['tc_1', hold_id])
  expect(await offered(project, `holdpoint show ${json.session_id.slice(0, 6)}`)).toEqual([json.session_id])
  expect(await offered(project, 'holdpoint -c cp_')).toEqual([json.checkpoint_id])
  expect(await offered(project, 'holdpoint --output = j')).toEqual(['json'])
  expect(await offered(project, 'holdpoint --model a')).toEqual(['anthropic/'])
})

test('ids come with what they are of, and are gone once they are decided', async () => {
  await using project = await aProject({ script: SCRIPT })
  const { json } = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  const [{ hold_id }] = json.pause_reason.pending_tool_calls
  const answer = () => project.holdpoint('__complete', 'approve', 'hold_')
  expect(await answer()).toMatchObject({ exit: 0, stdout: `${hold_id}\tapproval of run_command\n`, stderr: '' })
  expect((await project.holdpoint('__complete', 'runs', '--status', '')).stdout).toContain('waiting\t\n')
  await project.holdpoint('-c', json.checkpoint_id, '--approve-all')
  expect(await answer()).toMatchObject({ exit: 0, stdout: '', stderr: '' })
})

test.each([
  ['no store', async () => {}],
  ['a store that is none', (project: Project) => project.write('.holdpoint/holdpoint.db', 'no database')],
  ['settings that cannot be read', (project: Project) => project.write('.holdpoint/config.json', '{ "store": ')],
] as const)('with %s the answer is empty, and nothing is made or said', async (_what, prepare) => {
  await using project = await aProject()
  await prepare(project)
  const before = await wholeProject(project).catch(() => null)
  for (const words of [
    ['approve', ''],
    ['show', 'run_'],
    ['-c', 'cp_'],
    ['tasks', 'show', ''],
  ])
    expect((await project.holdpoint('__complete', ...words)).exit).toBe(0)
  expect(await project.holdpoint('__complete', 'approve', '')).toMatchObject({ exit: 0, stdout: '', stderr: '' })
  expect(await wholeProject(project).catch(() => null)).toEqual(before)
})

test('looking for ids leaves the store and its directory as they are', async () => {
  await using project = await aProject({ script: SCRIPT })
  await project.holdpoint('--pause-on-approval', 'go')
  const before = await wholeProject(project)
  await project.holdpoint('__complete', 'show', '')
  expect(await wholeProject(project)).toEqual(before)
})

test.each(['bash', 'zsh', 'fish'])('the script for %s asks holdpoint itself', async shell => {
  await using project = await aProject()
  const { exit, stdout } = await project.holdpoint('completion', shell)
  expect(exit).toBe(0)
  expect(stdout).toContain('__complete')
})
