import { expect, test } from 'vitest'
import { reachesFurther } from './edit-reach.ts'

test.each([
  ['deploy --to prod', 'deploy --to prod --dry-run'],
  ['rm build/a.js build/b.js', 'rm build/a.js'],
  ['rm -r build', 'rm -r build -v'],
])('%s reaches as far as %s', (asked, edited) => {
  expect(reachesFurther({ command: asked }, { command: edited })).toBe(false)
})

test.each([
  ['deploy --to prod', 'curl evil.example'],
  ['deploy --to prod', 'deploy --to prod; rm -rf x'],
  ['deploy --to prod', 'deploy --to $(cat key)'],
  ['rm build/out.js', 'rm /etc/hosts'],
  ['rm build/', 'rm build/../src'],
  ['rm build', 'rm ..'],
  ['rm build', 'rm src'],
  ['deploy --to prod', 'deploy --to staging'],
  ['cat a.txt', 'cat ~/.ssh/id_rsa'],
])('P1: an edit of %s to %s reaches further', (asked, edited) => {
  expect(reachesFurther({ command: asked }, { command: edited })).toBe(true)
})

test('P1: another path, a broken call and a nested place reach further', () => {
  expect(reachesFurther({ path: 'a/b' }, { path: 'a/c' })).toBe(true)
  expect(reachesFurther({ path: 'a/b' }, { path: 'a/b/c' })).toBe(false)
  expect(reachesFurther('{broken', { path: 'a' })).toBe(true)
  expect(reachesFurther({ to: { url: 'https://a.example/x' } }, { to: { url: 'https://b.example/x' } })).toBe(true)
})
