namespace NumaSharp.Core;

/// <summary>The settings of <see cref="NumaMemoryPools"/>, whose nodes and bind mode come from the plan.</summary>
public sealed class NumaMemoryPoolsOptions : NumaPoolMemoryOptions;
