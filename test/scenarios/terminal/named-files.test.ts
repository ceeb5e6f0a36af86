/** Files that a message in the chat names by `@`. */
import { mkdir, symlink } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { openOpenAiServer } from '../../../src/testing/index.ts'
import { aProject, type ProjectOptions } from '../project.ts'
import { aChat, type ChatTerminal } from './chat-terminal.ts'
import { HAS_TERMINAL } from './pseudo-terminal.ts'

const ENTER = '\r'
const CLEAR = '\u0003'

async function aStage(options: ProjectOptions = {}) {
  const server = await openOpenAiServer({ turns: () => 'Read.' })
  const env = { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'test', HOLDPOINT_MODEL: 'openai/gpt-test' }
  const project = await aProject({ ...options, env })
  const sent = () => JSON.stringify(server.requests.at(-1)?.body ?? null)
  const close = async () => {
    await project[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  }
  return { project, server, sent, [Symbol.asyncDispose]: close }
}

async function says(chat: ChatTerminal, text: string, shown: string): Promise<void> {
  chat.type(`${text}${ENTER}`)
  await chat.shows(shown)
}

describe.skipIf(!HAS_TERMINAL)('a message in the chat', () => {
  test('sends the texts that it names along, bounded, and what is no file stays text', async () => {
    const files = { 'src/cart.ts': 'const total = 1\n', 'long.txt': 'é'.repeat(50_000), 'docs/one.md': 'One.' }
    await using stage = await aStage({ files })
    const { sent } = stage
    await using chat = await aChat(stage.project)
    await says(
      chat,
      'see @src/cart.ts, (@src/cart.ts:3) @docs and @long.txt',
      '[file src/cart.ts, text/plain, 16 bytes]',
    )
    await chat.shows('Read.')
    expect(sent()).toContain('[file src/cart.ts, text/plain, 16 bytes]\\nconst total = 1\\n')
    expect(sent().split('const total').length).toBe(2)
    expect(sent()).toContain('[file docs, text/plain, 6 bytes]\\none.md')
    expect(sent()).toContain(`${'é'.repeat(32_768)}\\n[long.txt is cut here: it has 98 KB; read_file reads the rest]`)
    await says(chat, 'a@src/cart.ts ana@example.com @types/node @ana', 'ready')
    await expect.poll(() => stage.server.requests.length).toBe(2)
    expect(sent()).toContain('a@src/cart.ts ana@example.com @types/node @ana')
    expect(sent().split('const total').length).toBe(2)
  })

  test('sends nothing that the agent may not read, and keeps the draft', async () => {
    await using outside = await aProject({ files: { 'a.txt': 'far' } })
    await using stage = await aStage({
      files: { 'secret/a.txt': 'deep' },
      policy: {
        tools: { read_file: 'auto' },
        rules: [{ tool: 'read_file', match: { path: 'secret/**' }, policy: 'never' }],
      },
    })
    await symlink(outside.path('a.txt'), stage.project.path('link.txt'))
    await using chat = await aChat(stage.project, { columns: 160 })
    await says(chat, 'see @secret/a.txt', 'secret/a.txt cannot go along: the policy forbids it')
    await says(chat, `${CLEAR}see @link.txt`, 'link.txt cannot go along: it is not in the directory')
    await says(
      chat,
      `${CLEAR}see @../${outside.directory.split('/').at(-1)}/a.txt`,
      'cannot go along: it is not in the',
    )
    expect(stage.server.requests).toHaveLength(0)
  })

  test('Tab completes the name of a file as far as it is known', async () => {
    await using stage = await aStage({ files: { 'src/cart.ts': 'x', 'src/card.ts': 'y' } })
    await mkdir(stage.project.path('other'))
    await using chat = await aChat(stage.project)
    chat.type('see @s\t')
    await chat.shows('› see @src/')
    chat.type('c\t')
    await chat.shows('› see @src/car')
    chat.type('t\t')
    await chat.shows('› see @src/cart.ts')
  })

  test('tells at once which files the model does not read', async () => {
    await using stage = await aStage()
    await stage.project.write('a.docx', 'PK\u0003\u0004\0\0')
    await using chat = await aChat(stage.project, { columns: 160 })
    await says(chat, 'see @a.docx', 'does not get all of the message')
    expect(chat.screen()).toContain('this model reads no such file')
  })

  test('names the files of the project that are instructions', async () => {
    await using stage = await aStage({ files: { 'AGENTS.md': 'Use tabs.' } })
    await using chat = await aChat(stage.project)
    await chat.shows('Instructions of the project: AGENTS.md')
  })
})
