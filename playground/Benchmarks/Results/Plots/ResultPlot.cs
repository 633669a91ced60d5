namespace NumaSharp.Playground.Benchmarks.Results.Plots;

/// <summary>A picture of results.</summary>
/// <param name="Kind">The kind of benchmark that it belongs to.</param>
/// <param name="FileName">Of the picture.</param>
/// <param name="Title">What it shows.</param>
/// <param name="Svg">The picture.</param>
internal sealed record ResultPlot(string Kind, string FileName, string Title, string Svg);
