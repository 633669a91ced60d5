namespace NumaSharp.GuestTests.Support;

/// <summary>Tests for the guest whose kernel was started without NUMA (numa=off); they skip everywhere else.</summary>
public abstract class OneNodeTests
{
    protected OneNodeTests() => Guest.Require(Guest.HasNoNuma, "without NUMA");
}
