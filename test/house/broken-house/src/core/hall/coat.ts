export const coat: number = 1
