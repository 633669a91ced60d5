namespace NumaSharp.GuestTests.Support;

/// <summary>Tests for the guest whose kernel was told to do without NUMA; they skip everywhere else.</summary>
public abstract class OneNodeTests
{
    protected OneNodeTests() => Guest.Require(Guest.HasNoNuma, "without NUMA");
}
