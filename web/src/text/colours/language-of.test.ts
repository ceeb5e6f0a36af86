import { expect, test } from 'vitest'
import { languageOfFence, languageOfPath } from './language-of.ts'

test.each([
  ['src/core/price.ts', 'typescript'],
  ['deploy/shop.YAML', 'yaml'],
  ['C:\\shop\\main.py', 'python'],
  ['Dockerfile', 'dockerfile'],
  ['deploy/Dockerfile.prod', 'dockerfile'],
  ['package-lock.json', 'json'],
  ['README.md', null],
  ['LICENSE', null],
  ['src/constructor', null],
  ['', null],
])('the language of %s is %s', (path, language) => {
  expect(languageOfPath(path)).toBe(language)
})

test.each([
  ['ts', 'typescript'],
  ['SQL title="x"', 'sql'],
  ['', null],
  ['mermaid', null],
])('the language of a fence with %j is %s', (info, language) => {
  expect(languageOfFence(info)).toBe(language)
})
