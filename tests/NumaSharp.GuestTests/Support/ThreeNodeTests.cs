namespace NumaSharp.GuestTests.Support;

/// <summary>Tests for the guest with three nodes; they skip everywhere else.</summary>
public abstract class ThreeNodeTests
{
    protected ThreeNodeTests() => Guest.Require(Guest.HasThreeNodes, "with three nodes");
}
