/** Completion: what `__complete` answers, and what real shells make of it. */
import { spawn, spawnSync } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aProject, CLI, effect, ended, type Project } from './project.ts'
import { wholeProject } from './whole-project.ts'

const SCRIPT = [{ text: 'I will.', calls: [effect('tc_1', 'one')] }, 'Done.']

/** What a shell prints that runs `drive` in the project, with a `holdpoint` on its path. */
async function driven(
  project: Project,
  [shell, ...flags]: readonly [string, ...string[]],
  drive: string,
): Promise<string[]> {
  const bin = join(project.directory, '.bin')
  await mkdir(bin, { recursive: true })
  await writeFile(join(bin, 'holdpoint'), `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`)
  await chmod(join(bin, 'holdpoint'), 0o755)
  const env = { ...project.environment, PATH: `${bin}:${process.env['PATH']}` }
  const child = spawn(shell, [...flags, '-c', drive], {
    cwd: project.directory,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { exit, stdout, stderr } = await ended(child)
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
  return stdout.split('\n').filter(word => word !== '')
}

/** What bash offers behind `line`, whose last word is the one being typed. */
async function offered(project: Project, line: string): Promise<string[]> {
  const words = line.split(' ').map(word => `'${word}'`)
  const drive = `source <(holdpoint completion bash)
COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}
_holdpoint holdpoint
printf '%s\\n' "\${COMPREPLY[@]}"`
  return driven(project, ['bash', '--norc'], drive)
}

/** What the script hands to zsh: each list with the flags of `_describe`, as zsh offers no way to read what it shows. */
async function describedInZsh(project: Project, line: string): Promise<string[]> {
  const words = line.split(' ').map(word => `'${word}'`)
  const drive = `compdef() {}; _files() { print "files $*" }
_describe() { local at=3; [[ $1 == -t ]] && at=4; print -r -- $1 "\${(@P)@[at]}" "\${@[at+1,-1]}" }
source <(holdpoint completion zsh)
words=(${words.join(' ')}); CURRENT=${words.length}
_holdpoint; true`
  return driven(project, ['zsh', '-f'], drive)
}

const hasShell = (shell: string) => spawnSync(shell, ['-c', 'exit']).status === 0

test.skipIf(!hasShell('fish'))('fish completes commands, flags, files, agents and the ids of the store', async () => {
  await using project = await aProject({ script: SCRIPT, files: { 'my plan.md': '' } })
  await project.write('.holdpoint/agents/deployer.md', 'Deploy.')
  const { json } = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  const [{ hold_id }] = json.pause_reason.pending_tool_calls
  const complete = async (line: string) => {
    const drive = `source (holdpoint completion fish | psub); complete -C '${line}'`
    return (await driven(project, ['fish', '--no-config'], drive)).map(each => each.split('\t')[0])
  }
  expect(await complete('holdpoint ru')).toEqual(['runs'])
  expect(await complete('holdpoint --appr')).toEqual(['--approve', '--approve-all'])
  expect(await complete('holdpoint --prompt-file my')).toEqual(['my plan.md'])
  expect(await complete('holdpoint --agent dep')).toEqual(['deployer'])
  expect((await complete('holdpoint approve ')).toSorted()).toEqual([hold_id, 'tc_1'])
  expect(await complete('holdpoint -c cp_')).toEqual([json.checkpoint_id])
})

test.skipIf(!hasShell('zsh'))(
  'zsh is told options as options, ids as values, and beginnings without a space behind',
  async () => {
    await using project = await aProject({ script: SCRIPT })
    const { json } = await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
    expect(await describedInZsh(project, 'holdpoint ru')).toEqual([expect.stringMatching(/^-t runs:/)])
    expect(await describedInZsh(project, 'holdpoint --approve-')).toEqual([expect.stringMatching(/^-o --approve-all:/)])
    expect(await describedInZsh(project, 'holdpoint -c cp_')).toEqual([
      `-t ${json.checkpoint_id}:waiting default`,
      'files ',
    ])
    expect(await describedInZsh(project, 'holdpoint --model anth')).toEqual([
      expect.stringMatching(/^-t anthropic\/:.* -S $/),
    ])
    expect(await describedInZsh(project, 'holdpoint --prompt-file my')).toEqual(['files '])
  },
)

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
