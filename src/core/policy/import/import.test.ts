import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../text/json.ts'
import { claudeEntries } from './claude-entries.ts'
import { codexEntries, codexSettings } from './codex-entries.ts'
import { policyOf, type Translated } from './entries.ts'
import { geminiEntries } from './gemini-entries.ts'

const imported = (translated: Translated) => {
  const { policy, left_out } = policyOf(translated)
  return { tools: policy.tools, rules: policy.rules, left: left_out.map(({ written }) => written) }
}
const claude = (permissions: JsonObject) => imported(claudeEntries({ permissions }, '/home/ana'))
const command = (pattern: string, policy: string) => ({ tool: 'run_command', match: { command: pattern }, policy })

test.each([
  [{ allow: ['Bash(npm run test:*)'] }, [command('npm run test', 'auto'), command('npm run test *', 'auto')]],
  [{ allow: ['Bash(npm run build)'] }, [command('npm run build', 'auto')]],
  [{ deny: ['Bash(rm:*)'] }, [command('rm *', 'never')]],
  [{ ask: ['Bash(git push *)'] }, [command('git push *', 'prompt')]],
  [{ deny: ['Read(//etc/**)'] }, [{ tool: 'read_file', match: { path: '/etc/*' }, policy: 'never' }]],
  [{ deny: ['Read(~/.ssh/**)'] }, [{ tool: 'read_file', match: { path: '/home/ana/.ssh/*' }, policy: 'never' }]],
  [{ deny: ['Read(.env)'] }, ['.env', '*/.env'].map(path => ({ tool: 'read_file', match: { path }, policy: 'never' }))],
  [
    { allow: ['Edit(/src/**)'] },
    ['write_file', 'edit_file'].map(tool => ({ tool, match: { path: 'src/*' }, policy: 'auto' })),
  ],
] as const)('rules of Claude Code %j', (permissions, rules) => {
  expect(claude(permissions as unknown as JsonObject)).toMatchObject({ rules, left: [] })
})

test('whole tools of Claude Code are tools, and those of its servers have our names', () => {
  const { tools, rules } = claude({ allow: ['mcp__github__get_issue', 'Edit'], deny: ['Bash', 'mcp__slack'] })
  expect(rules).toEqual([])
  expect(tools).toMatchObject({
    github__get_issue: 'auto',
    edit_file: 'auto',
    run_command: 'never',
    'slack__*': 'never',
  })
})

test('P1: what a stricter line forbids there is not lifted here by a rule', () => {
  const { rules, left } = claude({ allow: ['Bash(git status:*)'], ask: ['Bash'] })
  expect(rules).toEqual([])
  expect(left).toEqual(['Bash(git status:*)'])
})

test('P1: a tool is not lifted out of a server that is denied whole', () => {
  const { tools, left } = claude({ allow: ['mcp__slack__post', 'mcp__jira'], ask: ['mcp__jira'], deny: ['mcp__slack'] })
  expect(tools).toMatchObject({ 'slack__*': 'never', 'jira__*': 'prompt' })
  expect(tools).not.toHaveProperty('slack__post')
  expect(left).toEqual(['mcp__slack__post', 'mcp__jira'])
})

test('P1: what forbids, and is not read, is told', () => {
  expect(claude({ deny: 'Bash(rm:*)', ask: [7], denied: ['Bash'], additionalDirectories: ['..'] }).left).toEqual([
    'ask: 7',
    'deny: "Bash(rm:*)"',
    'permissions.denied: ["Bash"]',
    'permissions.additionalDirectories: [".."]',
  ])
  const hooks = { PreToolUse: [{ matcher: 'Bash' }], Stop: [] }
  expect(imported(claudeEntries({ hooks }, '/')).left).toEqual(['hooks.PreToolUse: [{"matcher":"Bash"}]'])
  expect(
    imported(geminiEntries({ excludeTools: 'ShellTool(rm)', general: { defaultApprovalMode: 'yolo' } })).left,
  ).toEqual(['excludeTools: "ShellTool(rm)"', 'general.defaultApprovalMode: "yolo"'])
})

test('lines about domains become rules about addresses, and what restricts covers the names below it', () => {
  expect(claude({ allow: ['WebFetch(domain:a.org)'], deny: ['WebFetch(domain:b.org)'] }).rules).toEqual([
    ...['https://a.org/*', 'http://a.org/*'].map(url => ({ tool: 'fetch_url', match: { url }, policy: 'auto' })),
    ...['https://b.org/*', 'http://b.org/*', 'https://*.b.org/*', 'http://*.b.org/*'].map(url => ({
      ...{ tool: 'fetch_url', match: { url }, policy: 'never' },
    })),
  ])
})

test.each(['WebFetch(*.example.org)', 'Edit(src/*.ts)', 'Edit(src/{a,b}/**)', 'Task'])(
  'P1: %s is left out and told, since no rule here says no more than that',
  line => {
    expect(claude({ allow: [line] })).toMatchObject({ rules: [], left: [line] })
  },
)

test('a mode that lets everything pass is not taken over', () => {
  expect(claude({ defaultMode: 'bypassPermissions' }).left).toHaveLength(1)
  expect(claude({ defaultMode: 'acceptEdits' }).tools).toMatchObject({ write_file: 'auto', edit_file: 'auto' })
})

const CODEX = `
# prefix_rule(pattern = ["no"], decision = "allow")
prefix_rule(
    pattern = ["gh", "pr", ["view", 'list']],  # two forms
    decision = "allow",
    justification = "a ) bracket # and a mark",
    match = [["gh", "pr", "view"]],
)
prefix_rule(pattern=["git","push"], decision="prompt")
prefix_rule(pattern=["rm"], decision="forbidden")
prefix_rule(pattern=words, decision="allow")
`

test('rules of Codex: each form of a prefix, and what is computed is left out', () => {
  const { rules, left } = imported(codexEntries(CODEX))
  expect(rules).toEqual([
    ...['gh pr view', 'gh pr view *', 'gh pr list', 'gh pr list *'].map(each => command(each, 'auto')),
    command('git push *', 'prompt'),
    command('rm *', 'never'),
  ])
  expect(left).toEqual(['prefix_rule(pattern=words, decision="allow")'])
})

test('settings of Gemini CLI, of today and of before', () => {
  const settings: Json = {
    tools: {
      allowed: ['run_shell_command(git status)', 'write_file'],
      exclude: ['ShellTool(rm)'],
      core: ['ReadFileTool'],
    },
    excludeTools: ['web_fetch', 'save_memory'],
  }
  expect(imported(geminiEntries(settings))).toMatchObject({
    tools: { write_file: 'auto', fetch_url: 'never' },
    rules: [command('git status', 'auto'), command('git status *', 'auto'), command('rm *', 'never')],
    left: ['save_memory', 'ReadFileTool'],
  })
})

test('servers of Gemini CLI: what is shut out is never, and what is trusted is not lifted out of it', () => {
  const mcpServers = {
    github: { trust: true, excludeTools: ['delete_repo'], includeTools: ['get_issue'] },
    slack: { trust: true },
  }
  const { tools, left } = imported(geminiEntries({ mcp: { excluded: ['slack'] }, mcpServers }))
  expect(tools).toMatchObject({ 'github__*': 'auto', github__delete_repo: 'never', 'slack__*': 'never' })
  expect(left).toEqual(['includeTools: ["get_issue"]', 'slack__*'])
})

test('P1: a star in a command of Gemini CLI permits nothing here, and forbids what was meant', () => {
  const tools = { allowed: ['run_shell_command(npm run *)'], exclude: ['run_shell_command(rm *)', 'ShellTool(curl:*)'] }
  expect(imported(geminiEntries({ tools }))).toMatchObject({
    rules: [command('rm *', 'never'), command('curl *', 'never')],
    left: ['run_shell_command(npm run *)'],
  })
})

test('the configuration of Codex has no equal, and other calls than prefix_rule are told', () => {
  const settings = 'model = "x"\napproval_policy = "never"\n[projects."/x"]\ntrust_level = "trusted"\n'
  expect(imported(codexSettings(settings)).left).toEqual(['approval_policy = "never"', 'trust_level = "trusted"'])
  const rules = 'network_rule(host = "x", decision = "forbidden")\nprefix_rule(pattern = ["ls"])\n'
  expect(imported(codexEntries(rules)).left).toEqual(['network_rule(host = "x", decision = "forbidden")'])
})

test.each([null, [], {}, { permissions: 1 }, { permissions: { allow: [1, null] } }, { tools: [] }])(
  'settings without rules (%j) make no rules',
  settings => {
    expect(imported(claudeEntries(settings as Json, '/')).rules).toEqual([])
    expect(imported(geminiEntries(settings as Json)).rules).toEqual([])
  },
)
