import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { boxMachine } from '../../../src/tools/box/machine/machine.ts'
import { aProject, command, type Project } from '../project.ts'
import { FORTY_COMMANDS, SMALL_PROJECT } from './forty-commands.ts'

const MOST_QUESTIONS = 6
const hasBox = (await boxMachine()).why === null

function git(project: Project, ...words: readonly string[]): string {
  const who = ['-c', 'user.name=ana', '-c', 'user.email=ana@example.com']
  return execFileSync('git', [...who, ...words], { cwd: project.directory, encoding: 'utf8' })
}

/** Path to content, without what git and Holdpoint keep. */
function filesOf(root: string, below = ''): Map<string, string> {
  const entries = readdirSync(join(root, below), { withFileTypes: true })
  const seen = entries.filter(({ name }) => name !== '.git' && name !== '.holdpoint')
  return new Map(
    seen.flatMap(entry => {
      const path = join(below, entry.name)
      if (entry.isDirectory()) return [...filesOf(root, path)]
      return entry.isFile() ? [[path, readFileSync(join(root, path), 'utf8')] as const] : []
    }),
  )
}

function changedBetween(before: Map<string, string>, after: Map<string, string>): readonly string[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])]
  return paths.filter(path => before.get(path) !== after.get(path)).toSorted()
}

test.runIf(hasBox)(`forty commands ask at most ${MOST_QUESTIONS} questions, and change what they say`, async () => {
  const steps = FORTY_COMMANDS.map((text, index) => ({ calls: [command(`t${index + 1}`, text)] }))
  const home = mkdtempSync(join(tmpdir(), 'holdpoint-home-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  await using project = await aProject({ files: SMALL_PROJECT, script: [...steps, 'Done.'], env: { HOME: home } })
  for (const program of ['tsc', 'vitest']) chmodSync(project.path('node_modules/.bin', program), 0o755)
  git(project, 'init', '-q')
  git(project, 'config', 'user.name', 'ana')
  git(project, 'config', 'user.email', 'ana@example.com')
  git(project, 'add', '-A')
  git(project, 'commit', '-qm', 'one')
  git(project, 'commit', '-q', '--allow-empty', '-m', 'two')
  await project.holdpoint('init')
  const before = filesOf(project.directory)

  const asked: string[] = []
  let at = await project.holdpoint('-a', '-o', 'json', '--model', `script:${project.path('script.json')}`, 'go')
  while (at.exit === 10) {
    const [call] = at.json.pause_reason.pending_tool_calls
    asked.push(`${call.arguments.command}: ${call.message}`)
    expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(MOST_QUESTIONS)
    at = await project.holdpoint('-c', at.json.checkpoint_id, '--approve', call.id, '-o', 'json')
  }
  expect(at).toMatchObject({ exit: 0, json: { outcome: 'completed', final_message: 'Done.' } })

  const after = filesOf(project.directory)
  expect(changedBetween(before, after)).toEqual(['dist/index.js', 'src/index.ts', 'src/new.ts', 'src/util/index.ts'])
  expect(after.get('src/index.ts')).toBe('export const bar = 1 // TODO\n')
  expect(after.get('src/new.ts')).toBe('export const fresh = 1\n')
  expect(git(project, 'log', '--format=%s').split('\n').slice(0, 3)).toEqual(['fix: handle null', 'two', 'one'])
  expect(git(project, 'show', '--name-only', '--format=').split('\n')).toEqual(
    expect.arrayContaining(['src/index.ts', 'src/new.ts']),
  )
  expect(asked).toEqual([])
})
