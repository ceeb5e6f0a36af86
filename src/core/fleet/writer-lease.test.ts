import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  afterArrival,
  afterLeaving,
  leaseToWrite,
  roleOf,
  type WriterClient,
  type WriterLease,
} from './writer-lease.ts'

const ana: WriterClient = { id: 'c1', actor: 'ana', role: 'writer' }
const ben: WriterClient = { id: 'c2', actor: 'ben', role: 'writer' }
const eve: WriterClient = { id: 'c3', actor: 'eve', role: 'viewer' }

test('the first that came to write has the lease, and the second views', () => {
  const lease = afterArrival(afterArrival(null, ana), ben)
  expect([roleOf(lease, ana), roleOf(lease, ben)]).toEqual(['writer', 'viewer'])
  expect(leaseToWrite(lease, ben)).toBeNull()
})

test('a lease that is free goes to the next that came to write and sends something', () => {
  const free = afterLeaving(afterArrival(null, ana), ana)
  expect(free).toBeNull()
  expect(leaseToWrite(free, ben)).toBe(ben)
})

test('W2: one that only views gets no lease by coming, nor by sending', () => {
  expect(afterArrival(null, eve)).toBeNull()
  expect(leaseToWrite(null, eve)).toBeNull()
})

const STEPS: Record<'comes' | 'leaves' | 'sends', (lease: WriterLease, client: WriterClient) => WriterLease> = {
  comes: afterArrival,
  leaves: afterLeaving,
  sends: (lease, client) => leaseToWrite(lease, client) ?? lease,
}

test('W1: at most one writes, and only the owner gives the lease up by leaving', () => {
  const does = fc.constantFrom('comes', 'leaves', 'sends')
  const step = fc.record({ client: fc.constantFrom(ana, ben, eve), does })
  fc.assert(
    fc.property(fc.array(step), steps => {
      let lease: WriterLease = null
      for (const { client, does } of steps) {
        const before: WriterLease = lease
        lease = STEPS[does](lease, client)
        const writers = [ana, ben, eve].filter(each => roleOf(lease, each) === 'writer')
        expect(writers).toHaveLength(lease === null ? 0 : 1)
        const owner = before?.id ?? client.id
        if (owner !== client.id) expect(lease).toBe(before)
      }
    }),
  )
})
