import { expect, test } from 'vitest'
import { type FileNode, fileTree } from './file-tree.ts'

function told(nodes: readonly FileNode[]): unknown[] {
  return nodes.map(({ name, place, children }) => (place === null ? { [name]: told(children) } : `${name} ${place}`))
}

test('files are below their directories, and directories with one directory share a line', () => {
  expect(
    told(fileTree(['src/core/text/a.ts', 'src/core/text/b.ts', 'README.md', 'src/web.ts', 'docs/x/y.md'])),
  ).toEqual([{ src: [{ 'core/text': ['a.ts 0', 'b.ts 1'] }, 'web.ts 3'] }, 'README.md 2', { 'docs/x': ['y.md 4'] }])
})

test('files of one name stay apart, and an absolute path is one, too', () => {
  expect(told(fileTree(['a.ts', 'a.ts', '/etc/hosts']))).toEqual(['a.ts 0', 'a.ts 1', { etc: ['hosts 2'] }])
})
