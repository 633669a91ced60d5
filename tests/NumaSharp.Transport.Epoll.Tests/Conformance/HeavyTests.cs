namespace NumaSharp.Transport.Epoll.Tests.Conformance;

/// <summary>Tests that take the whole machine: after all others, one class at a time.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class HeavyTests
{
    public const string Name = "Heavy";
}
