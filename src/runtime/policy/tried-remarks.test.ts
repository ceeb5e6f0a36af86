import { expect, test } from 'vitest'
import { readPolicy } from '../../core/policy/read-policy.ts'
import { policyRemarks } from '../../core/policy/remarks/policy-remarks.ts'
import { builtInTools } from '../../tools/built-in-tools.ts'
import { triedRemarks } from './tried-remarks.ts'

const tools = [...builtInTools().values()]

function remarksOn(pattern: string, verdict: string, tool = 'run_command') {
  const match = { [tool === 'run_command' ? 'command' : 'path']: pattern }
  const policy = readPolicy({ rules: [{ tool, match, policy: verdict }] }, 'test')
  const ruled = { policy, workdir: import.meta.dirname }
  return triedRemarks(ruled, tools, policyRemarks(policy, { tools, prefixes: [], isComplete: true }))
}

test.each([
  ['sudo *', 'auto', 'run_command'],
  ['.holdpoint/policy.json', 'auto', 'write_file'],
  ['src//x', 'auto', 'write_file'],
])('a rule for %j with %s covers no call of %s, and this is told', async (pattern, verdict, tool) => {
  expect(await remarksOn(pattern, verdict, tool)).toMatchObject([{ code: 'never_matches', place: 'rules.0' }])
})

test.each([
  ['sudo *', 'never', 'run_command'],
  ['rm *', 'never', 'run_command'],
  ['rm', 'prompt', 'run_command'],
  ['git push --force*', 'never', 'run_command'],
  ['git status*', 'auto', 'run_command'],
  ['*', 'never', 'run_command'],
  ['.env*', 'never', 'read_file'],
  ['/etc/*', 'never', 'read_file'],
  ['src/*', 'auto', 'write_file'],
])('a rule for %j with %s covers a call of %s', async (pattern, verdict, tool) => {
  expect(await remarksOn(pattern, verdict, tool)).toEqual([])
})

test('what a pattern seems to permit is not told if it is held all the same', async () => {
  expect(await remarksOn('git *', 'auto')).toMatchObject([{ code: 'passes_more', example: 'git push --force' }])
  expect(await remarksOn('find *', 'auto')).toEqual([])
})
