import { expect, test } from 'vitest'
import type { Message } from '../../core/journal/message.ts'
import type { ContentPart } from '../../core/message/part.ts'
import type { Profile } from '../../core/run/profile.ts'
import { unreadParts } from './unread-parts.ts'

const profile = { model: 'a/model' } as Profile
const image = (name: string): ContentPart => ({ type: 'image', media_type: 'image/png', name, data: 'AAAA' })
const said = (...content: ContentPart[]): Message => ({ role: 'user', content, author: null })

/** Large images are left out of a request of more than two. */
const unread = (_model: string, part: ContentPart, among: readonly ContentPart[] = []) =>
  among.length > 2 && 'name' in part && part.name?.startsWith('large') ? 'it is large among many' : null

const warned = (content: readonly ContentPart[], messages: readonly Message[], compactions: readonly object[] = []) => {
  const thread = { messages, context: { compactions } } as never
  const [warning] = unreadParts({ unread }, { profile, content, thread }).warnings ?? []
  return warning?.code === 'parts_not_read' ? warning.parts.map(part => part.split(',')[0]) : []
}

test('images that are left out among many are named, and those of earlier messages once', () => {
  expect(warned([image('large.png')], [said(image('a.png'))])).toEqual([])
  expect(warned([image('large.png')], [said(image('a.png'), image('b.png'))])).toEqual(['[image large.png'])
  const earlier = said(image('large-1.png'), image('a.png'))
  expect(warned([image('b.png')], [earlier])).toEqual(['[image large-1.png'])
  expect(warned([image('c.png')], [earlier, said(image('b.png'))])).toEqual([])
})

test('a new thread, and messages that are folded away, count for nothing', () => {
  const [content, earlier] = [[image('large.png')], [said(image('a.png'), image('b.png')), said(image('c.png'))]]
  expect(unreadParts({ unread }, { profile, content, thread: null })).toEqual({})
  expect(warned(content, earlier, [{ what: 'messages', from: 0, to: 1 }])).toEqual([])
  expect(warned(content, earlier)).toEqual(['[image large.png'])
})
