import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { validateJson } from '../../tools/define/json-schema.ts'
import { readConfig } from './project.ts'

const SCHEMA = JSON.parse(readFileSync(join(import.meta.dirname, '../../../schemas/config.schema.json'), 'utf8'))

let directory: string

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'holdpoint-config-'))
  await mkdir(join(directory, '.holdpoint'))
})
afterAll(() => rmSync(directory, { recursive: true }))

async function isRead(document: unknown): Promise<boolean> {
  writeFileSync(join(directory, '.holdpoint/config.json'), JSON.stringify(document))
  return readConfig(directory, { HOME: directory }).then(
    () => true,
    () => false,
  )
}

const escalation = [{ assignee: '@managers', seconds: 60 }]

test.each([
  {},
  { model: 'openai/x', store: 'sqlite:x.db', agent: 'a.md', pause_on: ['approval', 'question'] },
  { temperature: 0.5, max_output_tokens: 100, top_p: 1, stop_sequences: ['END'], reasoning: 'low' },
  { tool_choice: 'auto', provider_options: { openai: { user: 'u' } }, prompt_caching: false },
  { tool_choice: { type: 'tool', tool_name: 'search' } },
  { temperature: null, provider_options: null, tool_choice: null },
  { due: {} },
  { due: { seconds: null } },
  { due: { seconds: 0.5, on_due: 'reject', remind_after: [10], assignee: 'ana', escalation, finally: 'cancel' } },
  { due: { on_due: 'escalate', escalation } },
  { due: { assignee: null } },
  { deciders: ['ana', '@owners', 'agent:reviewer'] },
  { deciders: { people: null, not_requester: true, quorum: 2 } },
  { deciders: {} },
  { groups: { owners: ['ana'], nobody: [] } },
  { approval_answers: 'strict' },
  { bell: true, prices: { 'anthropic/*': { input: 3, output: 15, cached_input: 0.3 } } },
  { message_limits: {} },
  { context: {} },
  { context: { window: 32_000, keep: 4_000, compact_at: 0.7, model: 'openai/gpt-5-mini', instructions: 'Be brief.' } },
  { fetch_url: {} },
  { fetch_url: { allow: ['wiki.corp', 'localhost:8080', '[::1]:80', '10.0.0.1'] } },
  { environment: { pass: [] } },
  { environment: { pass: ['GITHUB_*', 'DATABASE_URL'] } },
  { message_limits: { parts: 3, part_bytes: 1000, total_bytes: 3000 } },
  { mcp_servers: {} },
  { mcpServers: { github: { command: 'npx', args: ['-y', 'x'], env: { A: 'b' }, trusted: true, timeout_seconds: 5 } } },
  { mcpServers: { 'a-b_c': { type: 'http', url: 'http://127.0.0.1/', headers: { A: 'b' }, disabled: true } } },
])('the schema and the reader take %j', async document => {
  expect([(await validateJson(SCHEMA, document, 'config')).ok, await isRead(document)]).toEqual([true, true])
})

test.each([
  [],
  { modell: 'openai/x' },
  { pause_on: ['approvals'] },
  { bell: 'loud' },
  { prices: { x: { input: 1 } } },
  { prices: { x: { input: -1, output: 1 } } },
  { prices: { x: { input: 1, output: 1, cache: 1 } } },
  { temperature: 2.1 },
  { temperature: '1' },
  { maxOutputTokens: 100 },
  { max_output_tokens: 0 },
  { max_output_tokens: 1.5 },
  { top_p: -0.1 },
  { stop_sequences: 'END' },
  { stop_sequences: [''] },
  { tool_choice: 'search' },
  { tool_choice: { type: 'tool' } },
  { tool_choice: { type: 'tool', tool_name: 'a', more: 1 } },
  { reasoning: 'much' },
  { provider_options: { openai: 1 } },
  { prompt_caching: 'no' },
  { due: 60 },
  { due: { seconds: 0 } },
  { due: { seconds: 4e9 } },
  { due: { second: 60 } },
  { due: { on_due: 'approve' } },
  { due: { on_due: 'escalate' } },
  { due: { on_due: 'escalate', escalation: [] } },
  { due: { finally: 'escalate' } },
  { due: { remind_after: [-1] } },
  { due: { assignee: ' ' } },
  { due: { escalation: [{ assignee: 'ana' }] } },
  { due: { escalation: [{ assignee: 'ana', seconds: 1, more: 1 }] } },
  { deciders: [] },
  { deciders: 'ana' },
  { deciders: [' '] },
  { deciders: { quorum: 0 } },
  { deciders: { quorum: 1.5 } },
  { deciders: { not_requester: 'yes' } },
  { deciders: { peoples: ['ana'] } },
  { groups: ['ana'] },
  { groups: { owners: 'ana' } },
  { groups: { owners: [''] } },
  { groups: { owners: ['@finance'] } },
  { approval_answers: 'lax' },
  { message_limits: 3 },
  { context: null },
  { context: { window: 0 } },
  { context: { keep: 1.5 } },
  { context: { compact_at: 2 } },
  { context: { model: '' } },
  { context: { at: 0.8 } },
  { environment: {} },
  { environment: { pass: 'PATH' } },
  { environment: { pass: ['A=1'] } },
  { environment: { pass: [], keep: [] } },
  { message_limits: { bytes: 3 } },
  { message_limits: { parts: 0 } },
  { mcp_servers: {}, mcpServers: {} },
  { mcpServers: [] },
  { mcpServers: { a: {} } },
  { mcpServers: { a__b: { command: 'x' } } },
  { mcpServers: { a: { command: 'x', url: 'http://127.0.0.1/' } } },
  { mcpServers: { a: { command: ' ' } } },
  { mcpServers: { a: { command: 'x', headers: {} } } },
  { mcpServers: { a: { url: 'x', args: [] } } },
  { mcpServers: { a: { command: 'x', type: 'http' } } },
  { mcpServers: { a: { url: 'x', type: 'sse' } } },
  { mcpServers: { a: { command: 'x', env: { A: 1 } } } },
  { mcpServers: { a: { command: 'x', cwd: '/' } } },
  { mcpServers: { a: { command: 'x', timeout_seconds: 0 } } },
])('neither the schema nor the reader takes %j', async document => {
  expect([(await validateJson(SCHEMA, document, 'config')).ok, await isRead(document)]).toEqual([false, false])
})
