import { expect, test } from 'vitest'
import { builtInTools } from './built-in-tools.ts'

test('every built-in tool is found by its name and says what it does', () => {
  const tools = builtInTools()
  expect([...tools.keys()].sort()).toEqual([
    ...[
      'ask_human',
      'edit_file',
      'fetch_url',
      'find_files',
      'list_files',
      'plan',
      'read_file',
      'request_approval',
      'run_command',
    ],
    ...['search_files', 'write_file'],
  ])
  for (const [name, tool] of tools) {
    expect(tool.name).toBe(name)
    expect(tool.description).not.toBe('')
    expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
  }
})

test('P3: only what can be repeated without a second effect says that it is idempotent', () => {
  const idempotent = [...builtInTools().values()].filter(tool => tool.idempotent).map(tool => tool.name)
  expect(idempotent.sort()).toEqual([
    ...['ask_human', 'fetch_url', 'find_files', 'list_files', 'plan', 'read_file', 'request_approval', 'search_files'],
    'write_file',
  ])
})

test('P1: tools that change files or run commands say that they are destructive', () => {
  const destructive = [...builtInTools().values()].filter(tool => tool.destructive).map(tool => tool.name)
  expect(destructive.sort()).toEqual(['edit_file', 'run_command', 'write_file'])
})
