/** A page for React, in the process of the test. Import it first. What Node has already, such as `fetch`, stays Node's. */
import { JSDOM } from 'jsdom'

const { window } = new JSDOM('<!doctype html><body></body>', { url: 'http://localhost/', pretendToBeVisual: true })
const here: Record<string, unknown> = globalThis as never

for (const name of Object.getOwnPropertyNames(window))
  if (!(name in globalThis)) Object.defineProperty(here, name, { value: window[name as never], configurable: true })
for (const name of ['window', 'document', 'navigator', 'location'])
  Object.defineProperty(here, name, { value: name === 'window' ? window : window[name as never], configurable: true })

class Unseen {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
Object.assign(globalThis, { ResizeObserver: Unseen, IntersectionObserver: Unseen })
