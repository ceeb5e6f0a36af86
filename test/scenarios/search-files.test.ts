import { expect, test } from 'vitest'
import { aProject } from './project.ts'

test('an agent finds lines and files without asking, and not in what git does not know', async () => {
  const calls = [
    { id: 'tc_1', name: 'search_files', args: { pattern: 'total', glob: '*.ts' } },
    { id: 'tc_2', name: 'find_files', args: { pattern: '**/cart*' } },
  ]
  const policy = { tools: { search_files: 'auto', find_files: 'auto' } }
  const files = { '.gitignore': 'dist\n', 'src/cart.ts': 'const total = 1\n', 'dist/cart.ts': 'const total = 1\n' }
  await using project = await aProject({ script: [{ calls }, 'Found.'], files, policy })
  const done = await project.holdpoint('-a', '-o', 'json', 'where is the total?')
  expect(done).toMatchObject({ exit: 0, json: { final_message: 'Found.' }, stderr: '' })
  const results = (await project.messages(done.json.session_id)).filter(({ role }) => role === 'tool')
  expect(results.map(({ content }) => content)).toEqual([
    { path: '.', content: 'src/cart.ts\n1:const total = 1', matches: 1, files: 1, more: false },
    { path: '.', files: ['src/cart.ts'], more: false },
  ])
})
