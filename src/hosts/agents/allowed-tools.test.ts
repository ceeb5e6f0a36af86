import { expect, test } from 'vitest'
import { defineTool } from '../../tools/define/define-tool.ts'
import { allowedTools } from './allowed-tools.ts'

function tools(...names: string[]) {
  const made = names.map(name => defineTool({ name, inputSchema: { type: 'object' }, execute: () => null }))
  return new Map(made.map(tool => [tool.name, tool]))
}

const offer = {
  builtIn: tools('run_command', 'read_file'),
  mounted: tools('github__search', 'github__close', 'wiki__search'),
  servers: ['github', 'wiki'],
}

function names(own: Parameters<typeof allowedTools>[1], allowed: readonly string[] | null = null): string[] {
  return [...allowedTools(offer, own, allowed).tools.keys()]
}

test('an agent that names no tools has all, and one that names some has those', () => {
  expect(names(null)).toEqual(['run_command', 'read_file', 'github__search', 'github__close', 'wiki__search'])
  expect(names(['read_file', 'github__*'])).toEqual(['read_file', 'github__search', 'github__close'])
  expect(names(['*__search', 'wiki__search'])).toEqual(['github__search', 'wiki__search'])
})

test('a run may do no more than its agent, whatever it names', () => {
  expect(names(['read_file', 'github__search'], ['github__*'])).toEqual(['github__search'])
  expect(() => names(['read_file'], ['run_command'])).toThrow('There is no tool "run_command"')
})

test('a name that no server could have is refused; one that a server dropped is missing', () => {
  expect(() => names(['gitlab__search'])).toThrow('There is no tool "gitlab__search"')
  expect(() => names(['gitlab__*'])).toThrow('There is no tool')
  expect(allowedTools(offer, ['github__gone', 'read_file'], null)).toMatchObject({ missing: ['github__gone'] })
})

test("an agent's own tool never stands in for one of a server", () => {
  const [own] = tools('github__search').values()
  expect(() => names(['github__*', own as never])).toThrow('two tools called github__search')
})
