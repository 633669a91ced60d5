namespace NumaSharp.Core;

/// <summary>The identifiers of API that is not final (docs/reference/diagnostics.md).</summary>
internal static class NumaDiagnostics
{
    public const string PluginContract = "NUMA001";

    public const string EventLoops = "NUMA002";
}
