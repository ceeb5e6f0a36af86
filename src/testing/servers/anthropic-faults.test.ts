import { expect, test } from 'vitest'
import { anthropicFaults } from './anthropic-faults.ts'

const issued = new Map([['srvtoolu_1', ['sealed']]])
const use = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'tides' } }
const page = { type: 'web_search_result', url: 'https://a.example', title: 'A', encrypted_content: 'sealed' }
const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [page] }
const cited = { type: 'text', text: 'So it is.', citations: [{ type: 'web_search_result_location' }] }
const user = { role: 'user', content: 'go' }
const faults = (...content: readonly object[]) =>
  anthropicFaults({ messages: [user, { role: 'assistant', content }, user] }, issued)

test('takes a search back that is whole', () => {
  expect(faults(use, found, cited)).toEqual([])
})

test.each([
  ['without its result', [use], /`web_search` tool use with id `srvtoolu_1` was found without/],
  ['without its call', [found], /unexpected `tool_use_id` found in `web_search_tool_result` blocks/],
  ['in the wrong order', [found, use], /unexpected `tool_use_id`/],
  [
    'with another id',
    [
      { ...use, id: 'call_1' },
      { ...found, tool_use_id: 'call_1', content: [] },
    ],
    /String should match pattern/,
  ],
  [
    'with another content',
    [use, { ...found, content: [{ ...page, encrypted_content: 'mine' }] }],
    /Invalid `encrypted/,
  ],
  ['without its contents', [use, { ...found, content: [] }], /Invalid `encrypted_content`/],
  ['that is cited and gone', [cited], /Could not find search result for citation/],
] as const)('refuses a search %s', (_, content, words) => {
  expect(faults(...content).join('\n')).toMatch(words)
})
