using NumaSharp.Core;

namespace NumaSharp.Hosting.Platform;

/// <summary>The platform chosen by code, which overrides all names.</summary>
internal sealed record ChosenPlatform(NumaPlatform Platform);
