import { expect, test } from 'vitest'
import { isOwnAddress } from './fleet-host.ts'

test.each([
  'http://localhost:4747/',
  'http://LOCALHOST.:4747',
  'https://web1.localhost',
  'http://127.0.0.1/',
  'http://127.1:4747',
  'http://2130706433/',
  'http://0.0.0.0:1',
  'http://[::1]:4747',
  'http://[::]/',
  'http://[::ffff:127.0.0.1]/',
])('%s is the machine that reads it', url => {
  expect(isOwnAddress(url)).toBe(true)
})

test.each(['https://web1.example.com', 'http://10.0.0.127:4747', 'https://localhost.example.com', 'http://[fd00::1]/'])(
  '%s is a machine that all reach',
  url => {
    expect(isOwnAddress(url)).toBe(false)
  },
)
