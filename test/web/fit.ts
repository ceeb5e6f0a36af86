import type { Page } from 'playwright-core'

/**
 * What does not fit the window: a page that is wider or higher than it, a box that scrolls sideways or cuts its text
 * without a sign, and a box that scrolls within another one. Fields for text are boxes of their own.
 */
export async function fitFaults(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const faults = []
    const root = document.documentElement
    if (root.scrollWidth > innerWidth) faults.push('the page is ' + root.scrollWidth + ' px wide')
    if (root.scrollHeight > innerHeight) faults.push('the page scrolls into nothing: ' + root.scrollHeight + ' px')
    const name = each => each.tagName.toLowerCase() + ' ' + (each.getAttribute('aria-label') ?? each.className) + ': ' + (each.textContent ?? '').slice(0, 40)
    const isField = each => each.matches('textarea, input, select')
    const scrolls = (each, overflow, content, box) => /auto|scroll/.test(overflow) && content > box + 1 && !isField(each)
    const down = new Set()
    for (const each of document.querySelectorAll('body *')) {
      const isForEars = each => { const { width, height } = each.getBoundingClientRect(); return width <= 1 || height <= 1 }
      if (!each.checkVisibility() || isForEars(each)) continue
      const { overflowX, overflowY, textOverflow } = getComputedStyle(each)
      if (scrolls(each, overflowX, each.scrollWidth, each.clientWidth)) faults.push('scrolls sideways: ' + name(each))
      const isCut = overflowX === 'hidden' && textOverflow === 'clip' && each.scrollWidth > each.clientWidth + 1
      if (isCut && !isField(each) && !each.querySelector('.truncate')) faults.push('is cut: ' + name(each))
      if (scrolls(each, overflowY, each.scrollHeight, each.clientHeight)) down.add(each)
    }
    for (const each of down)
      if ([...down].some(outer => outer !== each && outer.contains(each))) faults.push('scrolls within a scroll: ' + name(each))
    return faults
  })()`)
}
