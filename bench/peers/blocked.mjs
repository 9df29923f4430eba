/** What a lean contestant does not load: the parameters of CDP's `Network.setBlockedURLs`. */
const ENDINGS = 'png jpg jpeg gif webp avif svg ico css woff woff2 ttf otf mp4 webm mp3'.split(' ');

export const BLOCKED_PATTERNS = {
  urlPatterns: ENDINGS.map((ending) => ({ urlPattern: `*://*:*/*.${ending}`, block: true })),
};
