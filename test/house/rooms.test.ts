import { globSync, readFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { expect, test } from 'vitest'

const PAGE = 'docs/architecture/rooms.md'
const rows = [...readFileSync(PAGE, 'utf8').matchAll(/^\| `([\w/-]+)\/` +\| +(\S.*\S) +\|$/gm)]
const described = rows.map(([, room]) => room)
const rooms = new Set(globSync('src/*/**/*.ts').map(file => relative('src', dirname(file))))

test('each folder of src with sources has one row in the page of rooms, and the page has no other', () => {
  expect(described.toSorted()).toEqual([...rooms].toSorted())
})

test('each row says in a few words what is in the room', () => {
  for (const [, room, sentence = ''] of rows) expect(sentence.split(' ').length, room).toBeGreaterThan(2)
})
