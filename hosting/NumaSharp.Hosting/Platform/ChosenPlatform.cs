using NumaSharp.Core;

namespace NumaSharp.Hosting.Platform;

/// <summary>The platform that code has chosen over all names.</summary>
internal sealed record ChosenPlatform(NumaPlatform Platform);
