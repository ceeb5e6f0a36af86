import { expect, test } from 'vitest'
import { rulingOn } from '../../../runtime/policy/ruling.ts'
import { builtInTools } from '../../../tools/built-in-tools.ts'
import type { JsonObject } from '../../text/json.ts'
import { readPolicy } from '../read-policy.ts'
import { policyRemarks } from './policy-remarks.ts'
import type { KnownTools } from './remark.ts'

const KNOWN: KnownTools = { tools: [...builtInTools().values()], prefixes: ['github__'], isComplete: true }

function remarksOn(document: JsonObject, known: KnownTools = KNOWN) {
  return policyRemarks(readPolicy(document, 'test'), known)
}

const rule = (tool: string, match: JsonObject, policy: string) => ({ rules: [{ tool, match, policy }] })
const command = (pattern: string, policy = 'never') => rule('run_command', { command: pattern }, policy)

// biome-ignore format: a table
const DEAD: readonly (readonly [what: string, document: JsonObject, code: string, meant: string])[] = [
  ['a misspelt tool', { tools: { run_comand: 'never' } }, 'unknown_tool', 'run_command'],
  ['a misspelt tool of a rule', rule('raed_file', { path: '.env' }, 'never'), 'unknown_tool', 'read_file'],
  ['a tool that is not there', { tools: { drop_database: 'never' } }, 'unknown_tool', 'run_command'],
  ['a glob over no tool', { tools: { 'deploy_*': 'prompt' } }, 'unknown_tool', 'run_command'],
  ['a misspelt server', { tools: { 'gihub__*': 'never' } }, 'unknown_tool', 'No server "gihub" is configured'],
  ['a line of another product as a pattern', command('Bash(rm:*)'), 'foreign_syntax', '"rm *"'],
  ['the same with a star of its own', command('Bash(git push *)'), 'foreign_syntax', '"git push *"'],
  ['a tool of Claude Code', { tools: { Bash: 'never' } }, 'foreign_syntax', 'run_command'],
  ['a tool with its arguments', { tools: { 'Bash(rm:*)': 'never' } }, 'foreign_syntax', '{"command":"rm *"}'],
  ['a path in brackets', { tools: { 'Read(./.env)': 'never' } }, 'foreign_syntax', 'read_file'],
  ['a tool of a server of Claude Code', { tools: { mcp__github__get_issue: 'auto' } }, 'foreign_syntax', 'github__get_issue'],
  ['all tools of a server', { tools: { mcp__github: 'auto' } }, 'foreign_syntax', 'github__*'],
  ['a tool of Gemini', { tools: { 'run_shell_command(git push)': 'never' } }, 'foreign_syntax', '{"command":"git push"}'],
  ['a tool of Codex', rule('apply_patch', { path: '*' }, 'never'), 'foreign_syntax', 'edit_file'],
  ['an argument that is called otherwise', rule('run_command', { cmd: 'rm *' }, 'never'), 'unknown_argument', 'command'],
  ['a misspelt argument', rule('run_command', { comand: 'rm *' }, 'never'), 'unknown_argument', 'command'],
  ['an argument of another tool', rule('ask_human', { command: 'rm *' }, 'never'), 'unknown_argument', 'question'],
  ['a colon before the star', command('rm:*'), 'foreign_syntax', '"rm *"'],
  ['a regular expression', command('^rm .*$'), 'foreign_syntax', 'a star stands for any text'],
  ['an escape of a regular expression', command('rm\\s+-rf'), 'foreign_syntax', 'a star stands for any text'],
  ['two spaces', command('rm  -rf *'), 'foreign_syntax', '"rm -rf *"'],
  ['a path below the home', rule('read_file', { path: '~/.ssh/*' }, 'never'), 'foreign_syntax', 'absolute'],
  ['a path that begins with a dot', rule('read_file', { path: './.env' }, 'never'), 'foreign_syntax', '".env"'],
  ['braces', rule('write_file', { path: 'src/*.{ts,js}' }, 'auto'), 'foreign_syntax', 'one rule for each'],
  ['an auto below a prompt', { rules: [{ tool: 'run_command', match: { command: 'git *' }, policy: 'prompt' }, { tool: 'run_command', match: { command: 'git status*' }, policy: 'auto' }] }, 'unreachable', 'rules.0'],
  ['a prompt below a never', { rules: [{ tool: 'run_command', match: { command: 'git push' }, policy: 'prompt' }, { tool: '*', match: { command: 'git push*' }, policy: 'never' }] }, 'unreachable', 'rules.1'],
  ['a tool below a rule for every call', { tools: { run_command: 'auto' }, rules: [{ tool: 'run_command', match: { command: '*' }, policy: 'never' }] }, 'unreachable', 'rules.0'],
]

test.each(DEAD)('%s is told, with what was meant', (_what, document, code, meant) => {
  const [remark, ...more] = remarksOn(document)
  expect(remark).toMatchObject({ code })
  expect(`${remark?.message} ${remark?.hint}`).toContain(meant)
  expect(more).toEqual([])
})

// biome-ignore format: a table
const ALIVE: readonly (readonly [what: string, document: JsonObject])[] = [
  ['whole names', { tools: { run_command: 'never', read_file: 'auto', ask_human: 'auto' } }],
  ['a tool of a server that was not asked', { tools: { github__get_issue: 'auto', 'github__*': 'never' } }],
  ['a glob over everything', { tools: { '*': 'auto' } }],
  ['a stricter rule below a milder one', { rules: [{ tool: 'run_command', match: { command: 'git *' }, policy: 'prompt' }, { tool: 'run_command', match: { command: 'git push*' }, policy: 'never' }] }],
  ['hidden files in a command', command('rm .*')],
  ['an ending in a path', rule('write_file', { path: 'src/*.ts' }, 'auto')],
  ['two arguments', rule('write_file', { path: 'src/*', content: '*TODO*' }, 'prompt')],
  ['a question mark at the end', command('what?')],
  ['a dollar in a text', command('echo $')],
]

test.each(ALIVE)('%s is no fault', (_what, document) => {
  expect(remarksOn(document)).toEqual([])
})

test('if agents elsewhere may bring tools, only a name near to a known one is told', () => {
  const known = { ...KNOWN, isComplete: false }
  expect(remarksOn({ tools: { drop_database: 'never', refund: 'prompt' } }, known)).toEqual([])
  expect(remarksOn({ tools: { run_comand: 'never', Bash: 'never' } }, known)).toHaveLength(2)
})

// biome-ignore format: a table
const WIDE: readonly (readonly [pattern: string, example: string])[] = [
  ['gh * list*', 'gh delete --all list'], ['git*', 'git-x'], ['*', 'shred'], ['git *', 'git push --force'], ['cat *.md', 'cat delete --all .md'], ['npm run * --silent', 'npm run delete --all --silent'],
]

test.each(WIDE)('of an auto rule for %j it is told that %j passes, and it does', async (pattern, example) => {
  const document = command(pattern, 'auto')
  const [remark] = remarksOn(document)
  expect(remark).toMatchObject({ code: 'passes_more', message: expect.stringContaining(JSON.stringify(example)) })
  const tool = builtInTools().get('run_command')
  const ruled = { policy: readPolicy(document, 'test'), workdir: import.meta.dirname }
  expect(await rulingOn(ruled, tool as never, { command: example })).toMatchObject({ verdict: 'auto' })
})

test.each(['git status*', 'npm test', 'cat docs/*', 'cat docs/*.md', './build.sh *', 'ls *'])(
  'an auto rule for %j permits what it seems to',
  pattern => {
    expect(remarksOn(command(pattern, 'auto'))).toEqual([])
  },
)

test('a glob over names that permits a tool which destroys is told, and one over everything is meant', () => {
  expect(remarksOn({ tools: { 'r*': 'auto' } })).toMatchObject([{ code: 'passes_more' }])
  expect(remarksOn({ tools: { 'read_*': 'auto' } })).toEqual([])
})

const SECRETS = { tool: 'read_file', match: { path: 'secrets/**' }, policy: 'never' }

test.each([
  { tools: { search_files: 'auto' }, rules: [SECRETS] },
  { tools: { 'search_*': 'auto' }, rules: [{ ...SECRETS, policy: 'prompt' }] },
])('a search that shows what a rule keeps from being read is remarked on: %j', policy => {
  expect(remarksOn(policy)).toMatchObject([{ code: 'passes_more', message: expect.stringContaining('rules.0') }])
})

test.each([
  { tools: { search_files: 'prompt' }, rules: [SECRETS] },
  { tools: { search_files: 'auto' }, rules: [{ ...SECRETS, policy: 'auto' }] },
  { tools: { search_files: 'auto' }, rules: [SECRETS, { ...SECRETS, tool: 'search_files' }] },
  {
    tools: { search_files: 'auto' },
    rules: [
      { ...SECRETS, tool: '*_files' },
      { ...SECRETS, tool: '*_file*' },
    ],
  },
])('a search that is ruled by itself, or shows nothing that is kept, is not: %j', policy => {
  expect(remarksOn(policy)).toEqual([])
})
