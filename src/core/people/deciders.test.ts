import { expect, test } from 'vitest'
import { decidersOf, demandsPeople, objectionToDeciders, readDeciders } from './deciders.ts'

test.each([
  [['ana', '@finance'], { people: ['ana', '@finance'], not_requester: false, quorum: 1 }],
  [{ people: ['ana'] }, { people: ['ana'], not_requester: false, quorum: 1 }],
  [{ not_requester: true }, { people: null, not_requester: true, quorum: 1 }],
  [
    { notRequester: true, quorum: 2 },
    { people: null, not_requester: true, quorum: 2 },
  ],
  [
    { people: ['ana'], may_edit: true },
    { people: ['ana'], not_requester: false, quorum: 1, may_edit: true },
  ],
  [{ mayEdit: true }, { people: null, not_requester: false, quorum: 1, may_edit: true }],
  [{ may_edit: false }, { people: null, not_requester: false, quorum: 1 }],
  [{ people: null }, { people: null, not_requester: false, quorum: 1 }],
  [{}, { people: null, not_requester: false, quorum: 1 }],
])('%j says who may decide', (written, deciders) => {
  expect(readDeciders(written)).toEqual(deciders)
  expect(readDeciders({ ...deciders }), 'what was read is read again').toEqual(deciders)
})

test.each([
  [undefined, 'deciders must be a list'],
  [null, 'deciders must be a list'],
  ['ana', 'deciders must be a list'],
  [{ peolpe: ['ana'] }, 'deciders.peolpe: known: people, not_requester, quorum'],
  [[], 'deciders.people'],
  [[''], 'deciders.people'],
  [[7], 'deciders.people'],
  [{ people: 'ana' }, 'deciders.people'],
  [{ not_requester: 'yes' }, 'deciders.not_requester'],
  [{ may_edit: 'yes' }, 'deciders.may_edit'],
  [{ quorum: 0 }, 'deciders.quorum'],
  [{ quorum: 1.5 }, 'deciders.quorum'],
  [{ quorum: '2' }, 'deciders.quorum'],
  [{ people: ['ana', 'ben'], quorum: 3 }, 'deciders.quorum: 3 people must approve, and only 2 may'],
  [{ people: ['ana', 'Ana', 'ana\u200b'], quorum: 2 }, 'deciders.quorum: 2 people must approve, and only 1 may (ana)'],
])('%j is refused, and told why', (written, why) => {
  expect(() => readDeciders(written)).toThrow(why)
})

test('groups become the people who are in them when the hold is opened', () => {
  const settings = { people: ['dora', '@finance'], quorum: 2 }
  expect(decidersOf(settings, { finance: ['ana', 'ben'] })).toEqual({
    people: ['dora', 'ana', 'ben'],
    not_requester: false,
    quorum: 2,
  })
})

test('a group that nobody defined lets nobody decide, rather than everybody', () => {
  expect(decidersOf({ people: ['@gone'] }, {})).toEqual({ people: [], not_requester: false, quorum: 1 })
})

test('without a word about it everybody may', () => {
  expect(decidersOf(null, {})).toBeNull()
  expect(decidersOf({ quorum: 2 }, {})).toEqual({ people: null, not_requester: false, quorum: 2 })
})

test.each([
  [{ people: ['@ops'] }, {}, 'there is nobody in @ops'],
  [{ people: ['@ops', '@eng'] }, { ops: [], eng: [] }, 'there is nobody in @ops, @eng'],
  [{ people: ['@ops', 'ana'], quorum: 2 }, { ops: ['ana'] }, '2 people must approve, and only 1 may (ana)'],
  [{ people: ['@ops'], quorum: 3 }, { ops: ['Ana', 'ana ', 'ben'] }, 'only 2 may (Ana, ben)'],
])('P1: %j with the groups %j could never decide', (deciders, groups, why) => {
  expect(objectionToDeciders(deciders, groups)).toContain(why)
})

test.each([
  [{ people: ['@ops'] }, { ops: ['ana'] }],
  [{ people: ['@gone', 'ana'] }, {}],
  [{ quorum: 5 }, {}],
  [{ people: ['agent:lead'] }, {}],
])('%j with the groups %j can decide', (deciders, groups) => {
  expect(objectionToDeciders(deciders, groups)).toBeNull()
})

test.each([
  [null, false],
  [{}, false],
  [{ people: null, quorum: 1 }, false],
  [{ people: ['ana'] }, true],
  [{ people: [] }, true],
  [{ quorum: 2 }, true],
  [{ not_requester: true }, true],
])('that %j demand certain people is %j', (deciders, demands) => {
  expect(demandsPeople(deciders)).toBe(demands)
})

test('a group with members by sign-in keeps its name, and is no group without people', () => {
  const settings = { people: ['@finance', '@ops'], quorum: 3 }
  const groups = { ops: ['ana'] }
  expect(decidersOf(settings, groups, ['finance', 'legal'])).toEqual({
    ...{ people: ['ana'], groups: ['finance'], not_requester: false, quorum: 3 },
  })
  expect(objectionToDeciders(settings, groups, ['finance'])).toBeNull()
  expect(objectionToDeciders(settings, groups, ['legal'])).toContain('only 1 may')
})
